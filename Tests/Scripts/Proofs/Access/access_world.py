"""What the proofs of this folder share: a tracker in a folder of its own, connections and programs of other users, and what falls short.

Not a proof itself. Standard library only.
"""

import datetime
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

BIN = os.path.abspath(sys.argv[1])
NOBODY = 65_534


class Client:
    """A connection as another user: who connects counts, and may be any number."""

    turn = threading.Lock()

    def __init__(self, path, user=0, timeout=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        with Client.turn:
            os.seteuid(user)
            try:
                self.socket.connect(path)
            finally:
                os.seteuid(0)
        self.lines = self.socket.makefile("r")
        self.hello = None

    def next(self):
        """The next line; none when the connection has ended."""
        return json.loads(self.lines.readline() or "{}")

    def send(self, *requests):
        self.socket.sendall(b"".join(json.dumps(request).encode() + b"\n" for request in requests))

    def ask(self, request):
        """The next line after the request; the first line where the tracker has refused the connection."""
        if self.hello is None:
            self.hello = self.next()
        if self.hello.get("class") != "HELLO":
            return self.hello
        self.send(request)
        return self.next()

    def listen(self, take, *requests):
        """Gives each line that comes from now on to a function, in a thread."""
        self.send(*requests)
        threading.Thread(target=lambda: [take(line) for line in self.lines], daemon=True).start()


# Runs as another user: sends standard input to an address and prints what comes for so long.
TALK = r"""
import socket, sys, time
kind, address, seconds, text = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.stdin.buffer.read()
s = socket.socket(getattr(socket, kind))
s.connect(address if kind == "AF_UNIX" else ("127.0.0.1", int(address)))
s.settimeout(0.2)
# At a door that has been shut already, even an empty send fails.
if text: s.sendall(text)
end = time.monotonic() + seconds
while time.monotonic() < end:
    try: piece = s.recv(1 << 16)
    except TimeoutError: continue
    if not piece: break
    sys.stdout.buffer.write(piece); sys.stdout.buffer.flush()
"""


class User:
    """Programs of a user of that number."""

    def __init__(self, world, uid):
        self.world, self.uid = world, uid
        self.home = f"{world.folder}/home-{uid}"
        self.environment = {"PATH": os.environ["PATH"], "HOME": "/", "WAYPOST_SOCKET": world.socket}

    def make_home(self, programs):
        """A home with programs: their text by name, or text and mode."""
        os.mkdir(self.home)
        for name, text in programs.items():
            text, mode = text if isinstance(text, tuple) else (text, 0o755)
            with open(f"{self.home}/{name}", "w") as file:
                file.write(text)
            os.chmod(f"{self.home}/{name}", mode)
            os.chown(f"{self.home}/{name}", self.uid, self.uid)
        os.chown(self.home, self.uid, self.uid)
        self.environment |= {"HOME": self.home, "XDG_CONFIG_HOME": f"{self.home}/config"}

    def command(self, *command):
        who = [] if self.uid == 0 else ["setpriv", "--reuid", str(self.uid), "--regid", str(self.uid), "--clear-groups"]
        return [*who, *command]

    def start(self, *command, **options):
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} | options
        return subprocess.Popen(self.command(*command), env=self.environment, **options)

    def agent(self):
        return self.start(f"{BIN}/waypost", "agent", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def call(self, *arguments):
        """Runs waypost: code, output and errors."""
        return subprocess.run(self.command(f"{BIN}/waypost", *arguments), env=self.environment, capture_output=True, text=True)

    def waypost(self, *arguments):
        """What waypost says, wherever it says it."""
        answer = self.call(*arguments)
        return answer.stdout + answer.stderr

    def registration(self, name):
        """How waypost register --list has a registration."""
        return next(entry for entry in json.loads(self.call("register", "--list", "--json").stdout)["registrations"] if entry["name"] == name)

    def talk(self, lines, seconds=600.0, kind="AF_UNIX", address=None):
        """Starts a process that sends lines, or bytes, and prints what comes for so long."""
        process = self.start(sys.executable, "-c", TALK, kind, str(address or self.world.socket), str(seconds))
        return Talk(process, lines if isinstance(lines, bytes) else "".join(line + "\n" for line in lines).encode())

    def say(self, lines, seconds=1.0, **address):
        """What comes in so many seconds."""
        return self.talk(lines, seconds, **address).whole()


class Talk:
    """A process of a user, and what it has printed so far."""

    def __init__(self, process, text=b""):
        self.process, self.bytes = process, b""
        process.stdin.write(text)
        process.stdin.close()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while piece := os.read(self.process.stdout.fileno(), 1 << 16):
            self.bytes += piece

    @property
    def text(self):
        return self.bytes.decode(errors="replace")

    def has(self, word, seconds=20):
        """Whether it prints that in time."""
        return within(seconds, lambda: word in self.text)

    def whole(self):
        """All of it, when the process has ended."""
        self.process.wait()
        self.reader.join()
        return self.text

    def end(self):
        """Ends it: all that it has printed."""
        self.process.terminate()
        return self.whole()


class World:
    """A folder with a policy, a configuration and a tracker, and what has fallen short in it."""

    def __init__(self, name, policy, configuration="[log]\ntypes = []\n", below=None):
        self.folder = tempfile.mkdtemp(prefix=f"waypost-{name}-", dir=below)
        os.chmod(self.folder, 0o755)
        self.socket, self.state = f"{self.folder}/socket", f"{self.folder}/state/kept/state"
        self.failures, self.tracker, self.log = [], None, f"{self.folder}/tracker.log"
        self.set_policy(policy)
        self.set_configuration(configuration)

    def set_policy(self, text):
        # As an editor does: nobody sees half of it.
        with open(f"{self.folder}/policy.new", "w") as file:
            file.write(text)
        os.chmod(f"{self.folder}/policy.new", 0o644)
        os.rename(f"{self.folder}/policy.new", f"{self.folder}/policy.toml")

    def set_configuration(self, text):
        with open(f"{self.folder}/w.toml", "w") as file:
            file.write(f'[control]\npolicy = "{self.folder}/policy.toml"\n{text}')

    def check(self, condition, words):
        print(("ok     " if condition else "FAILED ") + words, flush=True)
        if not condition:
            self.failures.append(words)

    def start(self, source):
        """Starts the tracker, and waits until it answers."""
        self.tracker = subprocess.Popen(
            [f"{BIN}/waypostd", "--stay", "--source", source, "--config", f"{self.folder}/w.toml", "--state", f"{self.folder}/state", "--log",
             f"{self.folder}/log", "--socket", self.socket], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.log, "a"))
        while True:
            try:
                # It listens a moment before others may connect.
                if Client(self.socket).ask({"request": "status"}).get("class") == "STATUS" and os.stat(self.socket).st_mode & 0o006 == 0o006:
                    return
            except OSError:
                pass
            if self.tracker.poll() is not None:
                raise SystemExit(f"the tracker ended: {self.log}")
            time.sleep(0.02)

    def kill(self):
        if self.tracker:
            self.tracker.kill()
            self.tracker.wait()

    def stop(self):
        """Ends the tracker in peace; its exit code."""
        self.tracker.terminate()
        return self.tracker.wait()

    def end(self, total=True):
        """Says what fell short, and keeps the folder then; the exit code."""
        self.kill()
        if self.failures:
            print(f"kept: {self.folder}", flush=True)
        else:
            shutil.rmtree(self.folder)
        if total:
            print(f"{len(self.failures)} failures")
        return 1 if self.failures else 0


class Receiver:
    """A receiver over TCP whose clock begins at a moment of our choice; it is where `place` says, or has no fix where that is None."""

    def __init__(self, moment):
        self.moment, self.began, self.place, self.clients = moment, time.monotonic(), (47.01, 8.5), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.send, daemon=True).start()

    def now(self):
        return self.moment + time.monotonic() - self.began

    def accept(self):
        while True:
            self.clients.append(self.listener.accept()[0])

    @staticmethod
    def sentence(text):
        total = 0
        for character in text:
            total ^= ord(character)
        return f"${text}*{total:02X}\r\n"

    def send(self):
        while True:
            now = datetime.datetime.fromtimestamp(round(self.now(), 1), datetime.timezone.utc)
            clock, day, place = now.strftime("%H%M%S.") + f"{now.microsecond // 10_000:02d}", now.strftime("%d%m%y"), self.place
            if place:
                fields = [f"{int(abs(v)):0{w}d}{(abs(v) % 1) * 60:08.5f},{h}" for v, w, h in ((place[0], 2, "N"), (place[1], 3, "E"))]
                text = self.sentence(f"GPRMC,{clock},A,{fields[0]},{fields[1]},0.0,0.0,{day},,,A") + self.sentence(f"GPGGA,{clock},{fields[0]},{fields[1]},1,10,0.8,400.0,M,47.0,M,,")
            else:
                text = self.sentence(f"GPRMC,{clock},V,,,,,,,{day},,,N") + self.sentence(f"GPGGA,{clock},,,,,0,00,99.9,,,,,,")
            for client in self.clients:
                try:
                    client.sendall(text.encode())
                except OSError:
                    pass
            time.sleep(0.25)


def within(seconds, condition, pause=0.1):
    """Whether something comes true before the time is over."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(pause)
    return True


def write_track(path, points):
    """A GPX file of places and the seconds of a day at which they were: latitude, longitude, second."""
    lines = []
    for latitude, longitude, second in points:
        clock = f"{8 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        lines.append(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><time>2026-05-01T{clock}Z</time></trkpt>')
    with open(path, "w") as file:
        file.write('<gpx version="1.1" creator="proof" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>' + "".join(lines) + "</trkseg></trk></gpx>")
