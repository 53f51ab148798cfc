import Foundation
import TestSupport
import Testing

/// A running process that is controlled from outside.
@Suite("kvo-audit control")
struct ControlCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs a script while the probe, which observes on every line that it gets, runs as `$pid`.
  private func run(
    environment: String = "KVO_SAFETY_CONTROL=$PWD/control",
    _ script: String
  ) throws -> CommandRun {
    try CommandRun(
      shell: """
        mkfifo input
        env \(environment) '\(try ProgramRun.built("RecorderProbe").path)' controlled > out 2> err < input & pid=$!
        exec 9> input
        tell() { local count=$(wc -l < out); echo "$1" >&9; until [ $(wc -l < out) -gt $count ]; do sleep 0.02; done; }
        tell observe
        control() { $audit control $pid "$@" --folder $PWD/control; }
        \(script)
        exec 9>&-
        wait $pid; echo "ended with $?"; cat err; ls control
        """,
      in: folder.url
    )
  }

  @Test("starts, keeps and stops a recording of a process that runs, and says how it is")
  func recording() throws {
    let run = try run(
      environment: "KVO_SAFETY_CONTROL=$PWD/control KVO_SAFETY_KEEP=call",
      """
      stat -c '%a %F' control
      control status | head -2
      control start app.kvolog | sed "s,$PWD,.,"
      tell observe
      control status | sed "s,$PWD,.," | grep -v -e memory -e disk -e events
      control keep "the list is empty" | sed "s,$PWD,.,"
      tell observe
      control stop | sed "s,$PWD,.,"
      control stop
      ls *.kvolog*
      $audit app.kvolog.kept-1 | grep -o -e 'kept it: the list is empty' -e '[0-9]* observations live'
      """
    )
    #expect(
      run.output == """
        700 directory
        recording: no
        events: 0
        started: ./app.kvolog
        recording: ./app.kvolog
        lost: 0
        cpu: not measured without a budget
        objects: 1024 of 1024
        live: 2
          2 ControlledProbe.swift:15
        kept: ./app.kvolog.kept-1
        stopped: ./app.kvolog
        app.kvolog.kept-1
        kept it: the list is empty
        2 observations live
        ended with 0

        """
    )
    #expect(run.complaint.contains("nothing is recorded"))
  }

  @Test("refuses a folder that others may enter, and the process runs on")
  func openFolder() throws {
    let open = try CommandRun(
      shell: """
        mkdir -m 755 open
        echo observe | KVO_SAFETY_CONTROL=$PWD/open '\(try ProgramRun.built("RecorderProbe").path)' controlled
        ls open
        """,
      in: folder.url
    )
    #expect(open.output == "observe\n")
    #expect(
      open.complaint.hasSuffix(
        "/open\" may be entered by other users: it must have the mode 0700\n"
      )
    )
    #expect(open.complaint.hasPrefix("KVOSafety: kvo-audit control cannot reach this process: "))
  }

  @Test("names what is wrong with a process that it cannot reach")
  func unreachable() throws {
    let run = try CommandRun(
      shell: """
        mkdir -m 700 control
        $audit control $$ status --folder $PWD/control; echo $?
        $audit control 999999999 status; echo $?
        chmod 755 control
        $audit control $$ status --folder $PWD/control; echo $?
        $audit control $$ start 2> usage; echo $?; head -1 usage
        $audit control $$ stop now 2> usage; echo $?; head -1 usage
        """,
      in: folder.url
    )
    #expect(
      run.output == """
        65
        65
        65
        64
        Error: Name the log to start.
        64
        Error: "stop" takes nothing after it.

        """
    )
    let lines = run.complaint.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains("must be started with KVO_SAFETY_CONTROL=1"))
    #expect(lines[1].hasSuffix("there is no such process"))
    #expect(lines[2].hasSuffix("alone, with the mode 0700"))
  }

  @Test("answers garbage, silence and a long line, and goes on")
  func hostileClients() throws {
    let run = try run(
      """
      python3 - control/$pid.control <<'PYTHON'
      import socket, sys
      def ask(data):
          peer = socket.socket(socket.AF_UNIX)
          peer.connect(sys.argv[1])
          try:
              peer.sendall(data)
              peer.shutdown(socket.SHUT_WR)
              answer = b""
              while True:
                  more = peer.recv(4096)
                  if not more: break
                  answer += more
          except OSError:
              answer = b"cut"
          return answer
      print(ask(b"dance\\n"))
      print(ask(b""))
      print(ask(b"x" * 100000) in (b"", b"cut"))
      print(ask(b"\\xff\\x00\\n").startswith(b"refused: it does not know"))
      print(ask(b"start \\n"))
      PYTHON
      control status | head -1
      """
    )
    #expect(
      run.output == """
        b'refused: it does not know "dance"\\n'
        b''
        True
        True
        b'refused: the path of the log is empty; give one, such as "app-%p.kvolog" (%p is the process id)\\n'
        recording: no
        ended with 0

        """
    )
  }

  @Test("is not held by a client that sends its line byte by byte")
  func slowClient() throws {
    let run = try run(
      """
      python3 - control/$pid.control <<'PYTHON' & slow=$!
      import socket, sys, time
      peer = socket.socket(socket.AF_UNIX)
      peer.connect(sys.argv[1])
      open("connected", "w").close()
      try:
          for _ in range(100):
              peer.sendall(b"x")
              time.sleep(0.5)
      except OSError:
          pass
      PYTHON
      until [ -e connected ]; do sleep 0.02; done
      control status | head -1
      kill $slow
      """
    )
    #expect(run.output == "recording: no\nended with 0\n")
  }

  /// A process of another user, which root asks, may answer anything.
  @Test("shows what a process answers without acting on it, and reads no answer without end")
  func hostileAnswers() throws {
    let run = try CommandRun(
      shell: #"""
        mkdir -m 700 control
        cat > server.py <<'PYTHON'
        import os, socket
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"control/{os.getpid()}.control")
        listener.listen()
        for answer in (b"ok\n\x1b[31mrecording\xe2\x80\xae\n", b"refused: \x1b[31m" + b"x" * 5000 + b"\n", None):
            peer, _ = listener.accept()
            peer.recv(100)
            try:
                peer.sendall(answer or b"ok\n" + b"x" * (1 << 26))
            except BrokenPipeError:
                pass
            peer.close()
        PYTHON
        python3 server.py & pid=$!
        until [ -S control/$pid.control ]; do sleep 0.02; done
        for _ in 1 2 3; do
          $audit control $pid status --folder control 2>&1 | sed "s/$pid/PID/" | sed "s/x\{100,\}/xx/"
        done
        """#,
      in: folder.url
    )
    #expect(
      run.output == #"""
        \u{1b}[31mrecording\u{202e}
        kvo-audit: process PID: \u{1b}[31mxx
        kvo-audit: process PID: the answer is longer than 16 MB

        """#
    )
  }
}
