import Foundation
import TestSupport
import Testing

/// `kvo-audit record` as a shell user sees it; none of the programs here observes anything.
@Suite("kvo-audit record") struct RecordCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The message if nothing was recorded.
  private static func nothing(_ name: String) -> String {
    "kvo-audit: no KVO was seen: no process of \"\(name)\" wrote a log, so none uses KVOSafety, or "
      + "observes anything in Objective-C that could be recorded\n"
  }

  /// Waits for `signals`, writes down each, and ends with 5 at SIGTERM.
  private static let waiting = """
    note() { echo "$1" >> noted; }
    trap 'note INT' INT
    trap 'note HUP' HUP
    trap 'note QUIT' QUIT
    trap 'note USR1' USR1
    trap 'kill $!; note TERM; exit 5' TERM
    echo $$ > program
    mkfifo never
    # Blocks until something is written, but not forever, in case no process ends this. Until it has its own
    # process group, Ctrl-C ends it as well.
    timeout 120 sh -c 'touch started; cat never' &
    until [ -e started ]; do sleep 0.01; done
    note ready
    while kill -0 $! 2>/dev/null; do wait $!; done

    """

  /// The functions that the scripts below use.
  private static let prelude = """
    touch noted
    until_noted() { until [ "$(tail -n 1 noted)" = "$1" ]; do in_time "$1 to be noted"; done; }
    state() { read -r _ _ state _ < /proc/$1/stat; echo "$state"; }
    until_state() { until [[ "$(state "$1")" == $2 ]]; do in_time "state $2"; done; }
    # Waiting has a time limit, after which no process is left running.
    in_time() {
      sleep 0.01
      [ $SECONDS -ge 120 ] || return 0
      echo "waited too long for $1" >&2
      kill -KILL $(cat program)
      exit 9
    }
    # The process that runs these tests may ignore signals, which a shell cannot undo.
    record="env --default-signal $audit record"
    set -m

    """

  private func shell(_ script: String) throws -> CommandRun {
    _ = try folder.file("waiting.sh", Self.waiting)
    return try CommandRun(shell: Self.prelude + script, in: folder.url)
  }

  @Test("gives the program's input, output, arguments and status through")
  func transparent() throws {
    let run = try shell(
      """
      printf 'one\\ntwo\\n' | $audit record -- sh -c 'cat; echo "$@" >&2; exit 7' sh 'a b' --help -- c
      echo $?
      """
    )
    #expect(run.output == "one\ntwo\n7\n")
    #expect(run.complaint == "a b --help -- c\n" + Self.nothing("sh"))
  }

  @Test("a success in which nothing was recorded is not a clean bill")
  func nothingRecorded() throws {
    let run = try CommandRun(["record", "--", "true"], in: folder.url)
    #expect(run.status == 65)
    #expect(run.output == "" && run.complaint == Self.nothing("true"))
  }

  @Test("a process whose log is empty, as on a full disk, makes the report incomplete")
  func emptyLog() throws {
    let run = try shell(
      """
      echo '{"event":"exit","status":0}' > clean
      $audit record --output logs -- sh -c 'cp clean logs/sh-1.kvolog; : > logs/sh-2.kvolog' > out
      echo $?
      """
    )
    #expect(run.output == "65\n")
    #expect(run.complaint.contains("/logs/sh-2.kvolog: the input is empty"), "\(run.complaint)")
  }

  @Test("ends by the signal that ended the program")
  func killed() throws {
    let run = try shell(
      """
      ulimit -c 0
      for signal in KILL SEGV TERM; do
        (exec $record -- sh -c "kill -$signal \\$\\$") 2>/dev/null
        echo $?
      done
      """
    )
    #expect(run.output == "137\n139\n143\n")
  }

  @Test("passes on the signals that it is sent alone, and lives until the program ends")
  func signals() throws {
    let run = try shell(
      """
      $record -- bash waiting.sh &
      until_noted ready
      for signal in INT HUP QUIT USR1 INT; do
        : > noted
        kill -$signal $!
        until_noted $signal
      done
      kill -TERM $!
      wait $!
      echo $? $(cat noted)
      """
    )
    #expect(run.output == "5 INT TERM\n")
  }

  @Test("stops when the program stops, and continues with it")
  func stopping() throws {
    let run = try shell(
      """
      $record -- bash waiting.sh &
      until_noted ready
      kill -TSTP $!
      until_state $! T; until_state $(cat program) T
      kill -CONT $!
      until_state $! '[SR]'; until_state $(cat program) '[SR]'
      kill -TSTP -$!
      until_state $! T; until_state $(cat program) T
      kill -CONT -$!
      until_state $! '[SR]'; until_state $(cat program) '[SR]'
      kill -TERM $!
      wait $!
      echo $? $(cat noted)
      """
    )
    #expect(run.output == "5 ready TERM\n")
  }

  @Test("goes on if the program alone is stopped, and somebody else continues it")
  func stoppedAlone() throws {
    let run = try shell(
      """
      $record -- bash waiting.sh &
      until_noted ready
      for signal in STOP TSTP; do
        kill -$signal $(cat program)
        until_state $(cat program) T
        kill -CONT $(cat program)
        until_state $(cat program) '[SR]'
      done
      # It waits for the program in order, so it is not stopped after it passed a signal on.
      : > noted
      kill -INT $!
      until_noted INT
      until_state $! '[SR]'
      # Asked to stop, it still does.
      kill -TSTP $!
      until_state $! T; until_state $(cat program) T
      kill -CONT $!
      until_state $! '[SR]'; until_state $(cat program) '[SR]'
      kill -TERM $!
      wait $!
      echo $? $(cat noted)
      """
    )
    #expect(run.output == "5 INT TERM\n")
  }

  @Test(
    "Ctrl-C reaches the program once, from the terminal",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)")
  )
  func terminal() throws {
    let run = try shell(
      """
      {
        until_noted ready; printf '\\003'
        until_noted INT; kill -TERM $(cat program)
      } | script -qec "exec $record -- bash -c '
        [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal >> noted; . ./waiting.sh'" /dev/null
      echo $? $(cat noted)
      """
    )
    #expect(run.output.hasSuffix("5 terminal ready INT TERM\n"))
  }

  @Test("ignored and blocked signals stay so, and broken pipes are as they were")
  func dispositions() throws {
    let run = try shell(
      """
      ignored() { grep SigIgn /proc/self/status | cut -f 2; }
      ignored > plain
      $audit record -- grep SigIgn /proc/self/status 2>/dev/null | cut -f 2 | cmp - plain && echo same
      trap '' INT HUP PIPE
      ignored > changed
      $audit record -- grep SigIgn /proc/self/status 2>/dev/null | cut -f 2 | cmp - changed && echo same
      cmp -s plain changed || echo different
      grep SigBlk /proc/self/status > plain
      $audit record -- grep SigBlk /proc/self/status 2>/dev/null | cmp - plain && echo same
      """
    )
    #expect(run.output == "same\nsame\ndifferent\nsame\n")
  }

  @Test("sets the environment for the log, the containment, and the library to load")
  func environment() throws {
    let library = try folder.file("libKVOSafetyPreload.so", "")
    let run = try shell(
      """
      show='echo "${KVO_SAFETY_LOG#$PWD/} ${KVO_SAFETY_CONTAIN-unset}"'
      export KVO_SAFETY_CONTAIN=KVO001 TMPDIR=$PWD/fresh
      mkdir fresh
      $audit record --output a/b -- sh -c "$show"
      $audit record --output a/b --observe-only -- sh -c "$show"
      $audit record --output a/b --contain -- sh -c "$show"
      $audit record --output a/b --contain KVO007,double-remove -- /bin/sh -c "$show"
      $audit record -- sh -c 'echo "${KVO_SAFETY_LOG#$PWD/fresh/kvo-audit-sh-??????/}"'
      # The loader says on standard error that the empty file is not a library.
      export KVO_SAFETY_PRELOAD=$PWD/libKVOSafetyPreload.so
      $audit record -- sh -c 'echo $LD_PRELOAD'
      LD_PRELOAD=libc.so.6 $audit record -- sh -c 'echo $LD_PRELOAD'
      ls fresh
      """
    )
    #expect(
      run.output == """
        a/b/sh-%p.kvolog unset
        a/b/sh-%p.kvolog unset
        a/b/sh-%p.kvolog all
        a/b/sh-%p.kvolog KVO007,KVO001
        sh-%p.kvolog
        \(library)
        libc.so.6:\(library)

        """
    )
  }

  @Test("leaves variables as they are that are not UTF-8")
  func environmentBytes() throws {
    let run = try shell(
      """
      export LATIN=$'caf\\xe9' ACCENT=$'\\xcc\\x81'
      $audit record -- sh -c 'printf "%s,%s" "$LATIN" "$ACCENT"' 2>/dev/null | od -An -tx1
      """
    )
    #expect(run.output == " 63 61 66 e9 2c cc 81\n")
  }

  @Test("a program that cannot be run is reported, and nothing runs")
  func refusals() throws {
    _ = try folder.file("data", "#!/bin/sh\necho it ran\n")
    let run = try shell(
      """
      try() { $audit record "$@"; echo $?; }
      try -- nosuch
      try -- data
      try -- ./data
      try --output data/logs -- true
      KVO_SAFETY_PRELOAD=nosuch.so try -- true
      printf '#!/no/python' > script; chmod +x script; try -- ./script
      """
    )
    #expect(run.output == "127\n127\n126\n74\n126\n126\n")
    #expect(
      run.complaint == """
        kvo-audit: the program "nosuch" is in no folder of PATH
        kvo-audit: the program "data" is in no folder of PATH
        kvo-audit: "./data" is not executable; if it is a program: chmod +x "./data"
        kvo-audit: no logs can be written into "data/logs": Not a directory
        kvo-audit: KVO_SAFETY_PRELOAD names "nosuch.so", which does not exist
        kvo-audit: "./script" is to be run by "/no/python", as its first line says, and that does not exist

        """
    )
  }

  @Test(
    "a command with missing or contradicting arguments is wrong usage",
    arguments: [
      (
        ["record"],
        "There is no program to run; pass it after \"--\": kvo-audit record -- ./app"
      ),
      (
        ["record", "--contain", "--observe-only", "--", "true"],
        "--observe-only and --contain all contradict each other; pass only one of them."
      ),
      (
        ["record", "--contain=KVO007,KVO99", "--", "true"],
        "--contain takes rules, such as KVO007,KVO029, and \"KVO99\" is not one; the program follows"
      ),
      (
        ["record", "--contain", "./app"],
        "--contain takes rules, such as KVO007,KVO029, and \"./app\" is not one; the program follows"
      ),
      (["record", "--format", "pdf", "--", "true"], "The value 'pdf' is invalid"),
      (["record", "./app"], "There is no program to run; pass it after"),
    ]
  )
  func usage(arguments: [String], message: String) throws {
    let run = try CommandRun(arguments, in: folder.url)
    #expect(run.status == 64)
    #expect(run.complaint.hasPrefix("Error: \(message)"), "\(run.complaint)")
    #expect(run.output == "")
  }

  @Test("before a static program runs, what will not be recorded is reported")
  func statically() throws {
    // Without the name of its loader a program is what the kernel starts by itself, and cannot go on.
    var bytes = Array(try Data(contentsOf: URL(filePath: "/bin/true").resolvingSymlinksInPath()))
    let table = Int(bytes[32]) | Int(bytes[33]) << 8
    let loader = try #require(
      (0..<Int(bytes[56])).map { table + 56 * $0 }.first { bytes[$0] == 3 }
    )
    bytes[loader] = 0
    _ = try folder.file("static", bytes)
    let run = try shell("chmod +x static; $audit record -- ./static; echo $?")
    #expect(run.output == "139\n")
    #expect(
      run.complaint.hasPrefix(
        "kvo-audit: \"./static\" is linked statically, so that no library can be put into it: of it, "
          + "only what uses KVOSafety is recorded\n"
      )
    )
  }
}
