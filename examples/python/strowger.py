"""A client of Strowger's control interface and of the fronts of its worlds, with the standard library only."""

import json
import urllib.error
import urllib.request


def send(method, url, body=None, headers=None):
    """Sends JSON. Returns the status and the parsed answer."""
    data = None if body is None else json.dumps(body).encode()
    fields = {"content-type": "application/json", **(headers or {})} if data else (headers or {})
    request = urllib.request.Request(url, data=data, method=method, headers=fields)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, _parsed(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, _parsed(error.read())


def _parsed(text):
    return json.loads(text) if text else None


class World:
    """A cluster of its own in a served process; it ends with the `with` block."""

    def __init__(self, control, **wanted):
        self._worlds = f"{control}/strowger/v1/worlds"
        status, shown = send("POST", self._worlds, wanted)
        if status != 200:
            raise RuntimeError(shown["error_message"])
        self.name = shown["name"]
        self.sites = shown["sites"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        send("DELETE", f"{self._worlds}/{self.name}")

    def control(self, method, path, body=None):
        """A request to the control interface of this world."""
        status, answer = send(method, f"{self._worlds}/{self.name}{path}", body)
        if status >= 400:
            raise RuntimeError(answer["error_message"])
        return answer

    def advance(self, by):
        return self.control("POST", "/clock/advance", {"by": by})

    def advance_until(self, matcher, **fields):
        return self.control("POST", "/clock/advance", {"until": matcher, "fields": fields})
