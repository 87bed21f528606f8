"""A client of the platform in Python: each test has a world of its own, in virtual time. CONTROL is the URL of the control interface."""

import os
import unittest

from strowger import World, send

CONTROL = os.environ["CONTROL"]
ADMIN = {"domain": "acme.root.test", "login": "admin", "pwd": "admin", "session_type": "token"}


class Platform:
    """The client to be tested."""

    def __init__(self, url):
        self._url = f"{url}/rest/v1"
        self._headers = {}

    def log_in(self, **other):
        status, answer = send("POST", f"{self._url}/iam/sessions", {**ADMIN, **other})
        if status == 200:
            self._headers = {"authorization": f"Bearer {answer['session_token']}"}
        return status

    def call(self, caller, callee):
        body = {"from": caller, "to": callee, "response_mode": 3}
        return send("POST", f"{self._url}/uc/calls", body, self._headers)[1]


class Calls(unittest.TestCase):
    def test_a_call_is_connected(self):
        with World(CONTROL, seed=7) as world:
            client = Platform(world.sites["north"])
            client.log_in()
            answer = client.call("1001", "1002")
            self.assertIn("200", answer["last_response"])
            seen = world.advance_until({"event": "callevents.dlg_start"}, dialogid=answer["dialogid"])
            self.assertEqual(seen["seen"]["event"]["name"], "dlg_start")

    def test_a_callee_that_rejects_is_reported(self):
        with World(CONTROL, seed=7) as world:
            world.control("PUT", "/numbers/acme.root.test/1002", {"reject": 603})
            client = Platform(world.sites["north"])
            client.log_in()
            self.assertIn("603", client.call("1001", "1002")["last_response"])

    def test_a_banned_client_is_let_in_after_180_seconds(self):
        with World(CONTROL, seed=7) as world:
            client = Platform(world.sites["north"])
            for _ in range(5):
                client.log_in(pwd="wrong")
            self.assertEqual(client.log_in(), 429)
            world.advance("180s")
            self.assertEqual(client.log_in(), 200)


if __name__ == "__main__":
    unittest.main()
