"""An offline verifier of Tallystick ledgers, written from docs/formats alone.

It shares no code with the project. Each module says which page it follows.
"""
