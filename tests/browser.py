"""Pages in headless Chromium, by its driver, both installed by tests/report/browser.sh.

``FEDREACT_TEST_BROWSER=needed`` makes it an error that there is none.
"""

import contextlib
import json
import os
import shutil

import pytest

WIDE, NARROW = (1300, 900), (390, 844)


@contextlib.contextmanager
def started(profile):
    """Chromium with a profile in a folder, while it is needed."""
    webdriver = pytest.importorskip("selenium.webdriver")
    binary, program = shutil.which("chromium"), shutil.which("chromedriver")
    if not (binary and program):
        assert os.environ.get("FEDREACT_TEST_BROWSER") != "needed", "there is no Chromium here"
        pytest.skip("there is no Chromium with its driver here")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for word in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu"):
        options.add_argument(f"--{word}")
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options, webdriver.ChromeService(program))
    yield found
    found.quit()


class Page:
    """The page in the browser."""

    def __init__(self, driver, file, size=WIDE, anchor=""):
        self.driver, self.address = driver, file.as_uri()
        driver.get("about:blank")
        for kind in ("browser", "performance"):
            driver.get_log(kind)
        driver.set_window_size(*size)
        driver.get(self.address + anchor)

    def run(self, script, *words):
        return self.driver.execute_script(script, *words)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def seen(self, selector):
        return [found for found in self.all(selector) if found.is_displayed()]

    def press(self, *keys):
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        events = [
            json.loads(line["message"])["message"] for line in self.driver.get_log("performance")
        ]
        sent = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
        urls = [of["request"]["url"].split("#")[0] for of in sent]
        return [url for url in urls if not url.startswith(("data:", "blob:", "about:"))]
