"""The bundled PostgreSQL: started when somebody needs it, gone when nobody does.

Any number of processes share one data folder, and none of them owns the server. Three facts carry
the design, and each of them is kept by the kernel, so that ``kill -9`` cannot make it untrue:

* **Who uses the server** is a shared lock on ``users.lock``. A process that dies lets go of it.
* **Who looks after the server** is an exclusive lock on ``guardian.lock``. The process that starts
  a guardian takes the lock first and hands the open file over, so there is never a second one, and
  never a moment in which a guardian exists without its lock.
* **The server does not outlive its guardian**: on Linux the kernel interrupts PostgreSQL when the
  guardian dies; elsewhere the next guardian stops what the last one left behind.

The guardian waits for an *exclusive* lock on ``users.lock``. The moment it gets it, nobody uses the
server, and nobody can begin to until the guardian is gone: that is the whole shutdown protocol.

    binaries      where the programs are
    folder        what lies in a data folder, and whether it can be used at all
    sockets       a socket folder that is short enough and ours alone
    wire          just enough of PostgreSQL's protocol to ask "do you answer?"
    postmaster    reading ``postmaster.pid`` without believing all of it
    cluster       ``initdb``, whole or not at all
    privileges    how not to be root
    guardian      the process that runs PostgreSQL
    server        what the rest of Handfast uses: a share in the server
    backup        saving the database to a file, and loading it into a folder that has none
    control       looking at a server, and stopping it, from outside
    errors        errors of the embedded server: this machine cannot do what was asked
"""

from handfast.db.embedded.binaries import Binaries, find_binaries
from handfast.db.embedded.control import ServerStatus, status, stop
from handfast.db.embedded.server import Address, EmbeddedServer

__all__ = [
    "Address",
    "Binaries",
    "EmbeddedServer",
    "ServerStatus",
    "find_binaries",
    "status",
    "stop",
]
