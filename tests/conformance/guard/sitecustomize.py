"""End the process if it looks up a name or opens a connection: reading a file needs neither."""

import os
import socket
import sys


def _refuse(name):
    def refused(*args, **options):
        os.write(sys.__stderr__.fileno(), f"NETWORK: {name} {args!r}\n".encode())
        os._exit(97)

    return refused


for _name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, _name, _refuse(_name))
for _name in ("getaddrinfo", "gethostbyname", "create_connection"):
    setattr(socket, _name, _refuse(_name))
