import ArgumentParser
import KVOAudit
import KVOLaunch
import KVOSystem

/// `kvo-audit record`: runs a program, records it, and audits its logs.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Run a program, record what it and its children observe, and audit the logs.",
    discussion: """
      The program runs as it would alone: on this terminal, with these files, and \
      with the signals that kvo-audit receives. When it has ended, also by a crash, \
      the logs of all its processes are audited as by "kvo-audit audit", and the \
      report goes to standard output, after the output of the program; \
      --format text=FILE separates the two. Logs of processes that are still \
      running are audited in their current state.

      A Swift program that uses KVOSafety records itself, and contains faults \
      regardless of --contain. An Objective-C program (GNUstep) is recorded by \
      libKVOSafetyPreload.so, through LD_PRELOAD: the path in KVO_SAFETY_PRELOAD, \
      or otherwise the library beside kvo-audit or in ../lib.

      EXIT STATUS
        That of the program, if it is not 0. A signal that ended the program ends
        kvo-audit, too; shells show that as 128 plus its number. Otherwise
        0    no finding at or above --fail-on
        1    findings at or above --fail-on
        65   no process wrote a log, or one cannot be read
        74   the report cannot be written
        and without running anything
        64   wrong usage
        74   no logs can be written into the folder
        126  the program cannot be run or recorded; the reason is printed
        127  there is no such program

      EXAMPLES
        kvo-audit record -- ./app --its-option file
        kvo-audit record --contain -- ./app
        kvo-audit record --contain KVO007,KVO029 --output logs -- ./app
        kvo-audit record --format text --format junit=kvo.xml -- make test
      """
  )

  @Option(
    name: .customLong("contain"),
    defaultAsFlag: Containment.all,
    parsing: .next,
    help: ArgumentHelp(
      """
      Prevent crashes of an Objective-C program by faults that can be contained: all of them, or \
      those of some rules, such as KVO007,KVO029.
      """,
      valueName: "rules"
    )
  )
  var containment: Containment?

  @Flag(help: "Do not change the behavior of the program (the default).")
  var observeOnly = false

  @Option(
    help: ArgumentHelp(
      "The folder for the logs; by default, a new temporary one.",
      valueName: "folder"
    )
  )
  var output: String?

  @OptionGroup(title: "Report")
  var reporting: ReportOptions

  @OptionGroup(title: "Known issues")
  var suppressing: SuppressionOptions

  @OptionGroup(title: "Known issues")
  var known: TriageOptions

  @OptionGroup
  var judging: JudgingOptions

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  @OptionGroup(title: "A fleet")
  var fleet: FleetOptions

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after \"--\".", valueName: "program")
  )
  var command: [String] = []

  private var arguments: AuditArguments {
    AuditArguments(
      reporting: reporting,
      suppressing: suppressing,
      known: known,
      judging: judging,
      modules: modules,
      fleet: fleet
    )
  }

  func validate() throws {
    try arguments.validate()
    if case .unknown(let name) = containment {
      throw ValidationError(
        "--contain takes rules, such as KVO007,KVO029, and \"\(name)\" is not one; the program follows "
          + "\"--\"."
      )
    }
    if observeOnly, let containment {
      throw ValidationError(
        "--observe-only and --contain \(containment) contradict each other; pass only one of them."
      )
    }
    if command.isEmpty {
      throw ValidationError(
        "There is no program to run; pass it after \"--\": kvo-audit record -- ./app"
      )
    }
  }

  func run() throws {
    let triage = try arguments.prepare(reading: [])
    var environment = ProcessEnvironment.own
    let plan: LaunchPlan
    let library: PreloadLibrary?
    do throws(LaunchRefusal) {
      plan = try LaunchPlan(command: command, searchPath: environment["PATH"])
      library = try PreloadLibrary.find(environment: environment)
    } catch {
      throw refuse(error)
    }
    warn(of: plan, library, environment)
    let folder: RecordingFolder
    do throws(RecordingFolder.Failure) {
      folder = try RecordingFolder(
        at: output,
        name: plan.name,
        temporary: environment["TMPDIR"]
      )
    } catch {
      StandardStreams.complain("kvo-audit: \(error.message)")
      throw ExitStatus.unwritable
    }
    environment = environment.recording(
      into: folder.pattern,
      library: library,
      containment: containment?.description
    )
    let end: ProgramEnd
    do throws(LaunchRefusal) {
      end = try RunningProgram(
        plan,
        environment: environment,
        ignoresBrokenPipes: StandardStreams.ignoredBrokenPipesBefore
      ).end()
    } catch {
      if output == nil { folder.removeIfEmpty() }
      throw refuse(error)
    }
    try finish(plan, end, folder, triage)
  }

  /// Audits, and exits with the program's status or that of the audit.
  private func finish(
    _ plan: LaunchPlan,
    _ end: ProgramEnd,
    _ folder: RecordingFolder,
    _ triage: Triage
  ) throws {
    let logs = folder.logs
    let audit: Result<Void, any Error>
    if logs.isEmpty {
      if output == nil { folder.removeIfEmpty() }
      StandardStreams.complain(
        "kvo-audit: no KVO was seen: no process of \"\(plan.name)\" wrote a log, so none uses "
          + "KVOSafety, or observes anything in Objective-C that could be recorded"
      )
      audit = .failure(ExitStatus.unreadable)
    } else {
      StandardStreams.complain("kvo-audit: the logs are in \"\(folder.path)\"")
      let inputs = AuditInput.named(by: logs)
      audit = Result { try arguments.audit(inputs, triage: triage) }
    }
    if end != .exited(status: 0) { end.repeatInThisProcess() }
    try audit.get()
  }

  private func refuse(_ refusal: LaunchRefusal) -> ExitCode {
    StandardStreams.complain("kvo-audit: \(refusal.message)")
    return ExitCode(refusal.status)
  }

  /// Reports before the run what of the program will not be recorded.
  private func warn(
    of plan: LaunchPlan,
    _ library: PreloadLibrary?,
    _ environment: ProcessEnvironment
  ) {
    if plan.isStatic {
      StandardStreams.complain(
        "kvo-audit: \"\(plan.image)\" is linked statically, so that no library can be put into it: "
          + "of it, only what uses KVOSafety is recorded"
      )
    } else if library == nil,
      let runtime = LoadedLibraries(of: plan, environment: environment)?.objectiveC
    {
      StandardStreams.complain(
        "kvo-audit: \"\(plan.image)\" loads Objective-C (\(runtime)), which is not recorded: "
          + "\(PreloadLibrary.fileName) is neither beside kvo-audit nor in ../lib. Scripts/preload builds "
          + "it, and \(PreloadLibrary.variable) names one that is elsewhere"
      )
    }
  }
}
