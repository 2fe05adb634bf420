"""A client of the REST API that builds and signs its requests itself.

Written from docs/rest.md and docs/formats alone. Start at client.Client; receipts are verified by
tallyverify.
"""
