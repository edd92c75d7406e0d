"""Models: whatever answers a list of messages with a text.

The only room of ``operators`` with sockets, child processes, files and timeouts. Import from the modules:
``chat`` holds the Protocol and its values.
"""
