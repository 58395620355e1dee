"""Programs that take longer to start than to work: they stay for one run of the tests, and are asked at a port of loopback
(asked, in helpers.bash). A question is a line with the number of its words and the words, each ended by a zero byte; its
answer is a line with an exit status, and text."""
import os
import signal
import socketserver
import sys


def serve(port_file, answer):
    """Answers with answer(WORDS), a status and a text, until the process ends that has started this one."""
    class Question(socketserver.StreamRequestHandler):
        timeout = 10

        def word(self):
            letters = bytearray()
            while (letter := self.rfile.read(1)) not in (b"\0", b""):
                letters += letter
            return letters.decode()

        def handle(self):
            status, text = answer([self.word() for _ in range(int(self.rfile.readline()))])
            self.wfile.write(f"{status}\n{text}".encode())

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    parent = os.getppid()
    with socketserver.TCPServer(("127.0.0.1", 0), Question) as server:
        server.timeout = 2
        with open(port_file + ".new", "w") as file:
            print(server.server_address[1], file=file)
        os.rename(port_file + ".new", port_file)
        while os.getppid() == parent:
            server.handle_request()
