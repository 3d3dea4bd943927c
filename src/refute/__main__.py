"""`python -m refute` is `refute`."""

import sys

from refute.cli import main

sys.exit(main())
