"""The HTML page, driven in a real browser: clicks, keys, themes, and no script but its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from refute.report import HuntResult, ReportTarget, write_report


def open_page(browser: Any, result: HuntResult, folder: Path) -> None:
    path = folder / "page.html"
    write_report(ReportTarget("html", path), result)
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(path.as_uri())


@pytest.fixture
def page(browser: Any, realistic_result: HuntResult, tmp_path: Path) -> Any:
    open_page(browser, realistic_result, tmp_path)
    return browser


def one(page: Any, selector: str) -> Any:
    return page.find_element("css selector", selector)


def every(page: Any, selector: str) -> list[Any]:
    return list(page.find_elements("css selector", selector))


def shown_fens(page: Any, finding: int) -> list[str]:
    frames = every(page, f"#finding-{finding} .frame")
    return [frame.get_attribute("data-fen") for frame in frames if frame.is_displayed()]


def press(page: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).send_keys(*keys).perform()


def complaints(page: Any) -> list[str]:
    return [entry["message"] for entry in page.get_log("browser")]


def test_the_page_opens_without_a_complaint_and_shows_each_finding(page: Any) -> None:
    assert complaints(page) == []
    assert "5 findings in own" in one(page, "h1").text
    assert len(every(page, ".card")) == 5
    assert [tag.text for tag in every(page, ".index .kind")][:2] == ["en passant", "king-side castle"]
    assert "217 walks" in one(page, ".index").text


def test_a_board_is_really_drawn(page: Any) -> None:
    board = one(page, "#finding-1 .board")
    assert board.size["width"] > 200
    assert board.size["height"] == board.size["width"]
    pieces = every(page, "#finding-1 .board use")
    assert len(pieces) == 5
    assert all(piece.rect["width"] > 5 for piece in pieces)
    assert every(page, "#finding-1 .board line.arrow.extra")
    assert every(page, "#finding-3 .board line.arrow.missing")


def test_buttons_step_through_the_walk(page: Any) -> None:
    end = shown_fens(page, 4)
    assert end == ["4k2r/6P1/8/8/8/8/8/3K4 w - - 3 3"]
    assert not one(page, "#finding-4 [data-go=on]").is_enabled()
    one(page, "#finding-4 [data-go=back]").click()
    assert shown_fens(page, 4) == ["4k3/6P1/8/8/8/8/7r/3K4 b - - 2 2"]
    one(page, "#finding-4 [data-go=first]").click()
    assert shown_fens(page, 4) == ["4k2r/6P1/8/8/8/8/8/4K3 b k - 0 1"]
    assert not one(page, "#finding-4 [data-go=back]").is_enabled()
    one(page, "#finding-4 [data-go=on]").click()
    one(page, "#finding-4 [data-go=last]").click()
    assert shown_fens(page, 4) == end
    one(page, "#finding-4 [data-ply='1']").click()
    assert "Move 1 of 3" in one(page, "#finding-4 .where").text
    assert one(page, "#finding-4 [aria-current=step]").text == "h8h2"


def test_arrow_keys_step_the_finding_that_has_the_focus(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    one(page, "#finding-5 .film").click()
    press(page, Keys.ARROW_LEFT)
    assert "Move 3 of 4" in one(page, "#finding-5 .where").text
    press(page, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    assert one(page, "#finding-5 [aria-current=step]").text == "e7e5"
    press(page, Keys.HOME, Keys.ARROW_LEFT)
    assert one(page, "#finding-5 [aria-current=step]").text == "start"
    press(page, Keys.END, Keys.ARROW_RIGHT)
    assert one(page, "#finding-5 [aria-current=step]").text == "d8h4"
    assert len(shown_fens(page, 4)) == 1
    assert "Move 3 of 3" in one(page, "#finding-4 .where").text


def test_keys_follow_the_reader_to_another_finding(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    page.execute_script("document.getElementById('finding-4').scrollIntoView({block: 'start'})")
    press(page, Keys.ARROW_LEFT)
    assert one(page, ".card.active").get_attribute("id") == "finding-4"
    assert "Move 2 of 3" in one(page, "#finding-4 .where").text


def test_j_and_k_walk_between_findings(page: Any) -> None:
    assert one(page, ".card.active").get_attribute("id") == "finding-1"
    press(page, "jjj")
    assert one(page, ".card.active").get_attribute("id") == "finding-4"
    press(page, "k")
    assert one(page, ".card.active").get_attribute("id") == "finding-3"


def test_the_difference_is_highlighted(page: Any) -> None:
    (extra,) = every(page, "#finding-1 .moves .extra")
    (missed,) = every(page, "#finding-3 .moves .missing")
    assert extra.text.split() == ["e5d6", "(extra)"]
    assert missed.text.split() == ["e7d8n", "(missing)"]
    plain = one(page, "#finding-1 .moves li:not(.extra)").value_of_css_property("background-color")
    assert extra.value_of_css_property("background-color") != plain


def background(page: Any) -> str:
    return str(one(page, "body").value_of_css_property("background-color"))


def test_the_theme_follows_the_system_and_the_toggle(page: Any) -> None:
    def prefer(scheme: str) -> None:
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})

    try:
        prefer("light")
        light = background(page)
        prefer("dark")
        dark = background(page)
        assert light != dark
        toggle = one(page, "#theme")
        toggle.click()
        assert (toggle.text, background(page)) == ("Light", light)
        toggle.click()
        prefer("light")
        assert (toggle.text, background(page)) == ("Dark", dark)
        page.refresh()
        assert background(page) == dark
        one(page, "#theme").click()
        assert (one(page, "#theme").text, background(page)) == ("Auto", light)
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_copy_says_that_it_did_something(page: Any) -> None:
    button = one(page, "#finding-1 .copy")
    button.click()
    page.execute_async_script("setTimeout(arguments[0], 100)")
    assert button.text in ("Copied", "Selected")


def test_features_are_bars_and_the_never_met_is_said(page: Any) -> None:
    widths = [bar.rect["width"] for bar in every(page, ".chart .fill")]
    assert len(widths) == 15
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] > 0
    assert "castle through an attacked square\nnever" in one(page, ".chart .never").text


def test_nothing_is_wider_than_a_phone(page: Any) -> None:
    try:
        page.set_window_size(500, 900)
        page.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": 375, "height": 800, "deviceScaleFactor": 1, "mobile": False},
        )
        assert page.execute_script("return document.documentElement.scrollWidth") <= 375
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.set_window_size(1280, 1000)


def test_the_page_asks_the_network_for_nothing(page: Any) -> None:
    events = [entry["message"] for entry in page.get_log("performance")]
    asked = [event for event in events if "requestWillBeSent" in event]
    assert asked
    assert not [message for message in asked if '"url":"http' in message]


def test_hostile_output_runs_no_script_and_breaks_nothing(
    browser: Any, hostile_result: HuntResult, tmp_path: Path
) -> None:
    open_page(browser, hostile_result, tmp_path)
    assert browser.execute_script("return window.pwned") is None
    assert complaints(browser) == []
    assert "<script>window.pwned=1</script>\\x1b[31m" in one(browser, "h1").text
    assert len(every(browser, ".card")) == 3
    assert "cannot be drawn" in one(browser, "#finding-2").text
    assert every(browser, "body img") == []


def test_an_inline_script_would_be_stopped_even_if_one_got_in(
    browser: Any, realistic_result: HuntResult, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    write_report(ReportTarget("html", path), realistic_result)
    spoilt = path.read_text(encoding="utf-8").replace("<main", "<script>window.pwned=1</script><main")
    path.write_text(spoilt, encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert browser.execute_script("return window.pwned") is None
    assert "Content Security Policy" in " ".join(complaints(browser))
    assert "Move 3 of 3" in one(browser, "#finding-4 .where").text


def test_an_empty_hunt_makes_a_calm_page(browser: Any, empty_result: HuntResult, tmp_path: Path) -> None:
    open_page(browser, empty_result, tmp_path)
    assert "Nothing refuted" in one(browser, "h1").text
    assert complaints(browser) == []
    press(browser, "j")
