"""Tests of the client, against servers in this process whose answers the tests state."""
