#!/usr/bin/python3
"""Shows in a real browser what the map page promises: truth, place, privacy, one connection, and that neither are others asked nor do they get anything.

Usage: Tests/Scripts/Proofs/MapPage/browser.py [FOLDER_OF_WAYPOSTD]     (default .build/debug); three minutes
Needs: apt-get install --no-install-recommends chromium chromium-driver python3-selenium libjs-leaflet
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from page_world import TOKEN, HOSTILE, failures, check, Tracker, Browser, Stranger, ground_distance


def main():
    programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/debug").resolve()
    with tempfile.TemporaryDirectory() as name:
        tracker = Tracker(pathlib.Path(name), programs)
        browser = Browser()
        try:
            prove(tracker, browser)
        finally:
            tracker.process.send_signal(signal.SIGCONT)
            tracker.process.terminate()
            browser.driver.quit()
            tracker.process.wait(20)
        check("no token in the tracker's messages", TOKEN not in (tracker.folder / "errors").read_text())
    prove_roads(programs)
    sys.exit(1 if failures else 0)


def prove(tracker, browser):
    browser.driver.get(tracker.address)
    took = browser.eventually("return window.waypost?.state.position && document.getElementById('speed').textContent === '36'")
    check("the speed is there", took is not None, f"after {took or 0:.1f} s")
    folder = browser.driver.current_url.removeprefix(f"http://127.0.0.1:{tracker.port}")
    check("the token left the address", re.fullmatch("/[0-9a-f]{32}/", folder) and TOKEN not in folder, browser.driver.current_url)
    browser.driver.get(f"http://127.0.0.1:{tracker.port}/")
    back = browser.eventually("return location.pathname !== '/' && window.waypost?.state.position")
    check("the address without it leads back", back is not None and browser.driver.current_url.endswith(folder), browser.driver.current_url)
    check("scripts cannot read the token", TOKEN not in browser.run("return document.cookie + document.documentElement.outerHTML"))
    check("a fence's name is text", browser.eventually(f"return document.getElementById('fences').textContent.includes({json.dumps(HOSTILE)})")
          is not None and not browser.run("return window.hurt"))

    place = browser.run("const p = waypost.state.position; return [p.lat, p.lon, p.accuracy, p.track]")
    circle = browser.run("""const c = waypost.indicator.circle, m = waypost.map, at = c.getLatLng();
        const edge = m.unproject(m.project(at).add([c._radius, 0])); return [[at.lat, at.lng], [edge.lat, edge.lng]]""")
    metres = ground_distance(*circle)
    check("the circle has the accuracy in true metres", abs(metres - place[2]) < 0.01 * place[2], f"{metres:.2f} m for {place[2]} m")
    check("the marker turns to the course", browser.eventually(
        "const t = waypost.indicator.heading, a = document.querySelector('.indicator svg').style.transform;"
        "return Math.abs(((parseFloat(a.slice(7)) - t) % 360 + 540) % 360 - 180) < 0.01 && t === waypost.state.position.track") is not None)

    tracker.ask(request="playback", stationary=True)
    browser.eventually("return document.getElementById('speed').textContent === '0'")
    standing = browser.run("return waypost.indicator.heading")
    check("a vehicle that stands keeps its heading", standing == place[3] or standing is not None, str(standing))
    tracker.ask(request="playback", stationary=False)

    tracker.ask(request="playback", position_lost=True)
    check("a loss is shown", browser.eventually("return document.getElementById('chip').textContent === 'lost' && waypost.indicator.state === 'lost'", 20)
          is not None)
    pieces = "return waypost.state.position ? 1 : 0"
    check("the last place stays", browser.run(pieces) == 1)
    tracker.ask(request="playback", position_lost=False)
    check("and the next fix ends it", browser.eventually("return document.getElementById('chip').className === 'fix'") is not None)

    tracker.process.send_signal(signal.SIGSTOP)
    took = browser.eventually("return document.getElementById('chip').className === 'gone' && !document.getElementById('banner').hidden", 10)
    check("a stopped tracker is noticed within 3 s", took is not None and took <= 3.2, f"{took or 0:.1f} s")
    words = "return document.getElementById('banner').textContent + document.getElementById('age').textContent"
    before = browser.run(words)
    time.sleep(4)
    check("and how long ago that was goes on", browser.run(words) != before and "now" not in browser.run(words), browser.run(words))
    check("what is shown is not called the present", browser.run("return waypost.indicator.isHollow && document.getElementById('speed').textContent === '–' && document.title === 'waypost'"))
    tracker.process.send_signal(signal.SIGCONT)
    check("and found again", browser.eventually("return document.getElementById('chip').className === 'fix' && !waypost.indicator.isHollow && document.title.includes('km/h')", 20) is not None)

    tracker.ask(request="private", on=True)
    gone = browser.eventually("return document.getElementById('chip').textContent === 'private' && !document.querySelector('.indicator')")
    check("private mode shows no place", gone is not None and not browser.run("return document.getElementById('place').textContent"))
    left = browser.run("return JSON.stringify(waypost.state.position ?? '') + document.getElementById('panel').textContent")
    found = re.search(r"46\.9\d{3}|7\.7\d{3}", left)
    check("nor keeps one", not found, left[max(0, found.start() - 60):found.end() + 20] if found else "")
    tracker.ask(request="private", on=False)
    browser.eventually("return document.getElementById('chip').className === 'fix'")

    first = browser.driver.current_window_handle
    for _ in range(7):
        browser.driver.switch_to.new_window("tab")
        browser.driver.get(f"http://127.0.0.1:{tracker.port}/")
    check("the eighth tab is live", browser.eventually("return document.getElementById('chip').className === 'fix'") is not None)
    status = tracker.ask(request="status")
    check("hidden tabs hold no stream", status["page"]["open"] <= 2, f"{status['page']['open']} open")
    for handle in browser.driver.window_handles:
        if handle != first:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
    browser.driver.switch_to.window(first)

    prove_sharing(tracker, browser)
    prove_sleep(tracker, browser)
    prove_changes(tracker, browser)

    messages = [entry["message"] for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"]
    # While the tracker was stopped and private it could not answer; and the address without the folder lets nobody in by itself.
    messages = [words for words in messages if "ERR_" not in words and not words.startswith(f"http://127.0.0.1:{tracker.port}/ ")]
    check("no error and no violation in the console", not messages, "; ".join(messages)[:300])
    urls = {message["params"]["request"]["url"] for message in log(browser) if message["method"] == "Network.requestWillBeSent"}
    strangers = [url for url in urls if not url.startswith((f"http://127.0.0.1:{tracker.port}/", "data:", "chrome", "about:"))]
    check("nobody but the tracker is asked", len(urls) > 10 and not strangers, str(strangers))
    prove_strangers(tracker, browser)
    prove_shut_door(tracker, browser)
    prove_expiry(tracker, browser)


def log(browser):
    return [json.loads(entry["message"])["message"] for entry in browser.driver.get_log("performance")]


def prove_sharing(tracker, browser):
    """More windows that are seen than a browser opens connections to one server."""
    first = browser.driver.current_window_handle
    live = 0
    for _ in range(8):
        browser.driver.switch_to.new_window("window")
        browser.driver.get(f"http://127.0.0.1:{tracker.port}/")
        live += browser.eventually("return !document.hidden && document.getElementById('chip').className === 'fix'"
                                   " && performance.getEntriesByName('position').length > 1") is not None
    status = tracker.ask(request="status")
    check("eight more windows are live over one connection", live == 8 and status["page"]["open"] == 1, f"{live} live, {status['page']['open']} open")
    for handle in browser.driver.window_handles:
        if handle != first:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
    browser.driver.switch_to.window(first)
    check("and go without ending it for the last", browser.eventually(
        "window.count = performance.getEntriesByName('position').length; return true") is not None and browser.eventually(
        "return performance.getEntriesByName('position').length > window.count + 2") is not None)


def prove_sleep(tracker, browser):
    """A page that is not seen for a minute: nothing is open meanwhile, and nothing is missing afterwards."""
    first = browser.driver.current_window_handle
    before = browser.run("return waypost.track.points.length")
    browser.driver.switch_to.new_window("tab")
    time.sleep(5)
    closed = tracker.ask(request="status")["page"]["open"]
    time.sleep(55)
    browser.driver.close()
    browser.driver.switch_to.window(first)
    took = browser.eventually("return document.getElementById('chip').className === 'fix' && performance.now() - waypost.state.ageAt < 2000")
    check("asleep for a minute it holds no connection", closed == 0, f"{closed} open")
    gap = browser.eventually("""const times = waypost.track.points.map((point) => point[0]).slice(-200);
        return times.length > 2 && Math.max(...times.slice(1).map((time, index) => time - times[index])) < 60000""", 10)
    check("and afterwards it is live, and the track has no hole", took is not None and gap is not None, f"{before} points before")


STREETS = """n1 x8.69 y49.4
n2 x8.706 y49.4
n3 x8.706 y49.41
n4 x8.69 y49.4006
n5 x8.704 y49.4006
w7 Thighway=primary,name=Hauptstra%df%e Nn1,n2
w8 Thighway=residential,name=Gartenweg Nn2,n3
w9 Thighway=service Nn4,n5
"""


def prove_changes(tracker, browser):
    """Fences that change, what happens while the page asks what has happened, and what is erased while it is shown."""
    def add(name, place, radius):
        fence = {"type": "Feature", "id": "moved", "properties": {"name": name, "radius": radius}, "geometry": {"type": "Point", "coordinates": place}}
        return tracker.ask(request="fences_add", fences={"type": "FeatureCollection", "features": [fence]})

    drawn = """const found = []; waypost.map.eachLayer((layer) => { const tip = layer.getTooltip?.()?.getContent();
        if (tip?.textContent?.startsWith("Yard")) { const at = layer.getBounds().getCenter(); found.push([tip.textContent, at.lat.toFixed(3), at.lng.toFixed(3)].join()); } });
        return found.join(" ")"""
    add("Yard", [7.70, 46.90], 200)
    check("a new fence is drawn", browser.eventually(f"return (() => {{ {drawn} }})() === 'Yard,46.900,7.700'") is not None, browser.run(drawn))
    add("Yard 2", [7.71, 46.91], 200)
    check("one that was moved and renamed is drawn anew", browser.eventually(f"return (() => {{ {drawn} }})() === 'Yard 2,46.910,7.710'") is not None, browser.run(drawn))

    here = browser.run("const p = waypost.state.position; return [p.lon, p.lat]")
    add("Yard 3", here, 3000)
    time.sleep(3)
    # It was away, and the answer to what has happened meanwhile takes long.
    browser.run("""window.plainFetch = window.fetch;
        window.fetch = async (path, ...rest) => { const answer = await plainFetch(path, ...rest); if (String(path).includes("/events")) { window.held = true; await new Promise((done) => setTimeout(done, 4000)); } return answer; };
        const seen = (hidden) => { Object.defineProperty(document, "hidden", { value: hidden, configurable: true }); document.dispatchEvent(new Event("visibilitychange")); };
        seen(true); setTimeout(() => seen(false), 500);""")
    browser.eventually("return window.held")
    tracker.ask(request="fences_remove", id="moved")
    listed = "return document.getElementById('events').textContent.includes('Left Yard 3')"
    arrived = browser.eventually(listed)
    time.sleep(5)
    check("what happens while it asks stays", arrived is not None and browser.run(listed), "" if arrived is not None else "it never came")
    browser.run("window.fetch = window.plainFetch; delete document.hidden")

    points = browser.run("return waypost.track.points.length")
    answer = tracker.ask(request="log_erase", **{"from": "2000-01-01T00:00:00Z", "to": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 2))})
    left = browser.eventually(f"return waypost.track.points.length < 8 && !document.getElementById('events').textContent.includes('Yard 3')")
    check("what is erased from the log goes from the page", answer["class"] != "ERROR" and points >= 10 and left is not None,
          f"{points} points before, {browser.run('return waypost.track.points.length')} after; {answer}")


def prove_shut_door(tracker, browser):
    """Whose door is shut is told so, and let in again when it opens."""
    browser.driver.get(f"http://127.0.0.1:{tracker.port}/")
    browser.eventually("return document.getElementById('chip').className === 'fix'")
    tracker.policy.write_text('[door]\npage = "none"\nguest = "none"\n')
    words = "return document.getElementById('banner').textContent"
    told = browser.eventually(f"return (() => {{ {words} }})().includes('the policy of this tracker shuts the page')")
    check("a page whose door is shut says why", told is not None, browser.run(words))
    tracker.policy.write_text('[door]\npage = "full"\nguest = "full"\n')
    check("and comes back when it is opened", browser.eventually("return document.getElementById('chip').className === 'fix' && document.getElementById('banner').hidden", 20)
          is not None, browser.run(words))


def prove_expiry(tracker, browser):
    """A guest whose link has expired is told so, on the open page and after a reload; the owner of the same browser stays in."""
    owner = browser.driver.current_url
    browser.driver.get(f"http://127.0.0.1:{tracker.port}/?token=" + tracker.ask(request="page", guest_seconds=60)["token"])
    browser.eventually("return window.waypost?.state.report.visitor === 'guest' && document.getElementById('chip').className === 'fix'")
    guest = browser.driver.current_url
    check("the address without a folder still leads to the owner's", leads_back(tracker, browser, "owner") and browser.driver.current_url == owner)
    browser.run("localStorage.setItem('kept', localStorage.getItem('waypost-folder')); localStorage.setItem('waypost-folder', '/' + '0'.repeat(32) + '/')")
    check("and to the guest's where the owner's token is another one now", leads_back(tracker, browser, "guest") and browser.driver.current_url == guest)
    told = browser.eventually("return document.getElementById('banner').textContent.includes('this link for guests has expired')", 75)
    check("a guest is told that the link has expired", told is not None, browser.run("return document.getElementById('banner').textContent"))
    browser.driver.refresh()
    check("after a reload, too", browser.eventually("return document.body.textContent.includes('A link for guests may have expired')") is not None)
    browser.run("localStorage.setItem('waypost-folder', localStorage.getItem('kept'))")
    check("the owner of the same browser stays in", leads_back(tracker, browser, "owner") and browser.driver.current_url == owner)


def leads_back(tracker, browser, visitor):
    """Whether the address without a folder leads to the page of that visitor."""
    browser.driver.get(f"http://127.0.0.1:{tracker.port}/")
    return browser.eventually(f"return location.pathname !== '/' && window.waypost?.state.report.visitor === '{visitor}'") is not None


def prove_roads(programs):
    """The ground from the road file: each road where it is, the one that the device is on marked, in each theme; and none for guests."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "streets.opl").write_text(STREETS)
        subprocess.run([programs / "waypost", "roads", "build", folder / "streets.opl", folder / "streets.roads"], check=True, stdout=subprocess.DEVNULL)
        with (folder / "drive.gpx").open("w") as drive:
            subprocess.run([programs / "waypost", "route", folder / "streets.roads", "--from", "49.4,8.7035", "--to", "49.404,8.706"], check=True, stdout=drive)
        tracker = Tracker(folder, programs, f"route:{folder}/drive.gpx?speed=8&noise=2", f'[matching]\nroads = "{folder}/streets.roads"\n')
        browser = Browser()
        try:
            browser.driver.get(tracker.address)
            # The colour of the ground at a place, as the canvas has it.
            ground = """const at = (lat, lon) => { const c = document.querySelector('canvas.roads'); if (!c) return 'no ground';
                const p = waypost.map.latLngToContainerPoint([lat, lon]), r = c.getBoundingClientRect(), b = waypost.map.getContainer().getBoundingClientRect();
                const scale = c.width / r.width, d = c.getContext('2d').getImageData(Math.round((p.x + b.left - r.left) * scale), Math.round((p.y + b.top - r.top) * scale), 1, 1).data;
                return d[3] < 255 ? 'clear' : '#' + [...d].slice(0, 3).map((v) => v.toString(16).padStart(2, '0')).join(''); };
                const named = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
                const [main, lane, side, field] = [at(49.4, 8.7032), at(49.4006, 8.7032), at(49.401, 8.706), at(49.4003, 8.7032)];"""
            browser.run("localStorage.setItem('waypost', JSON.stringify({ theme: 'light' })); location.reload()")
            marked = browser.eventually(ground + "return main === named('--road-now') && lane === named('--road') && side === named('--road') && field === 'clear'", 30)
            check("the map shows the roads where they are, and the one that the device is on", marked is not None,
                  "" if marked is not None else str(browser.run(ground + "return [main, lane, side, field]")))
            turned = browser.eventually(ground + "return main === named('--road-main') && side === named('--road-now')", 40)
            check("after a turn the other one is marked", turned is not None, "" if turned is not None else str(browser.run(ground + "return [main, side]")))
            check("the map says whose it is", browser.run("return document.getElementById('map').textContent").count("OpenStreetMap contributors, ODbL") == 1)
            seen = []
            for theme in ("dark", "night"):
                browser.run(f"localStorage.setItem('waypost', JSON.stringify({{ theme: '{theme}' }})); location.reload()")
                if browser.eventually(ground + "return lane === named('--road')", 20) is not None:
                    seen.append(browser.run(ground + "return lane"))
            check("in each theme", len(set(seen)) == 2, str(seen))
            browser.run("waypost.map.setView([49.4, 8.7], 9, { animate: false })")
            far = browser.eventually(ground + "return main === 'clear'", 10)
            check("far away there are none", far is not None)
            browser.run("for (let zoom = 10; zoom <= 19; zoom += 1) setTimeout(() => waypost.map.setView([49.4, 8.7], zoom, { animate: false }), 300 * (zoom - 9))")
            time.sleep(5)
            messages = [entry["message"] for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"]
            check("without an error or a violation", not messages, "; ".join(messages)[:300])
            tiles = [message["params"]["request"]["url"] for message in log(browser) if message["method"] == "Network.requestWillBeSent"
                     and "/api/v1/roads/" in message["params"]["request"]["url"]]
            check("few tiles are asked for", 0 < len(tiles) < 150, f"{len(tiles)}")
            link = subprocess.run([programs / "waypost", "page", "share", "--hours", "1", "--socket", folder / "socket"], check=True, capture_output=True, text=True).stdout
            browser.driver.delete_all_cookies()
            browser.driver.get(link.strip().splitlines()[-1])
            browser.eventually("return window.waypost?.state.position")
            time.sleep(2)
            check("a guest's map has none", browser.run("return !document.querySelector('canvas.roads') && waypost.state.report.visitor === 'guest'"))
        finally:
            tracker.process.terminate()
            browser.driver.quit()
            tracker.process.wait(20)


def prove_strangers(tracker, browser):
    own = f"http://127.0.0.1:{tracker.port}/"
    browser.driver.get(own)
    browser.eventually("return window.waypost")
    stranger = Stranger()
    own = browser.driver.current_url
    folder = own.split("/")[3]
    cookies = browser.driver.get_cookies()
    check("the cookie is sent to this page alone", [cookie["path"] for cookie in cookies] == [f"/{folder}/"] and TOKEN not in str(cookies), str(cookies))
    browser.run(f"location.href = {json.dumps(stranger.address)}")
    browser.eventually(f"return location.href.startsWith({json.dumps(stranger.address)})")
    referers = [headers.get("Referer") for headers in stranger.headers]
    time.sleep(0.5)
    sent = [headers.get("Cookie") for headers in stranger.headers]
    check("another port of the host gets no cookie", stranger.headers and not any(sent), str(sent))
    check("a link away from the page tells nobody its address", stranger.headers and not any(f":{tracker.port}" in (referer or "") for referer in referers), str(referers))
    log(browser)
    browser.driver.get(f"{stranger.address}attack#{own}")
    browser.eventually("return document.title.startsWith('{')", 20)
    said = json.loads(browser.driver.title)
    check("a stranger's page reads nothing", said.get("fetch") == "refused" and said.get("stream") == "refused" and said.get("script") == "refused"
          and said.get("image") == "refused" and said.get("frame") == "closed", str(said))
    answers = [(message["params"]["response"]["url"], message["params"]["response"]["status"]) for message in log(browser)
               if message["method"] == "Network.responseReceived" and message["params"]["response"]["url"].startswith(own)]
    check("and is answered with 403 and 405 only", answers and all(status in (403, 405) for _, status in answers), str(answers))
    browser.driver.get(f"http://rebound.example:{stranger.server_port}/")
    browser.run(f"location.href = 'http://127.0.0.1:{tracker.port}/'")
    opened = browser.eventually("return window.waypost?.state.position")
    check("a link from another site to the address that people know opens it", opened is not None and browser.driver.current_url == own, browser.driver.current_url)
    browser.driver.get(f"http://rebound.example:{tracker.port}/?token={TOKEN}")
    text = browser.run("return document.body.textContent")
    check("a name that leads here by another's name server is refused", "does not have the name rebound.example" in text, text[:80])

main()
