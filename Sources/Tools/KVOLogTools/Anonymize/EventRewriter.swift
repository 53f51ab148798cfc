import KVORules
import KVOTrace

/// Writes the events of a log again with other names, and with names for the addresses in their stacks.
///
/// The recipient of such a log does not have the images that addresses are in: what can be looked up is looked up
/// here. Memory is bounded by the distinct names and stacks.
struct EventRewriter<Mapping: NameMapping>: EventRewriting {
  /// The names for the ids of what was rewritten.
  private(set) var names = TraceNames()
  private(set) var mapping: Mapping

  private let resolver: (any FrameResolver)?
  private var strings: [Known: StringID] = [:]
  private var stacks: [StackID: StackID] = [:]
  private var modules: [Module] = []
  private var images: LoadedImages?
  /// Whose images they are; nil if the log does not say.
  private var process: ProcessInfo?
  private var hasEvents = false

  private struct Known: Hashable {
    var id: StringID
    var role: NameRole
  }

  /// Makes a rewriter.
  ///
  /// - Parameters:
  ///   - mapping: gives names for names.
  ///   - resolver: looks up addresses; nil: they stay addresses.
  init(_ mapping: Mapping, resolver: (any FrameResolver)?) {
    self.mapping = mapping
    self.resolver = resolver
  }

  /// `event`, whose names are `source`'s, with ids of ``names``.
  mutating func rewritten(_ event: Event, from source: TraceNames) -> Event {
    follow(event.body)
    return Event(
      body(event.body, source),
      time: event.time,
      thread: event.thread.map { identifier($0, source) },
      order: event.order,
      stack: stack(event.stack, source),
      scope: event.scope.map { identifier($0, source) }
    )
  }

  // MARK: - Names

  mutating func string(_ id: StringID, _ role: NameRole, _ source: TraceNames) -> StringID {
    if id == .none { return .none }
    let key = Known(id: id, role: role)
    if let known = strings[key] { return known }
    let new = names.id(of: mapping.mapped(source[id], as: role))
    strings[key] = new
    return new
  }

  mutating func keyPath(
    _ path: AffectingPath,
    _ role: NameRole,
    _ source: TraceNames
  ) -> AffectingPath {
    let text = string(path.text, role, source)
    return names.affectingPath(names[text])
  }

  mutating func text(_ text: String, _ role: NameRole) -> String {
    mapping.mapped(text, as: role)
  }

  /// Numbers stay; what is spelled otherwise may be a name, and must not become a number.
  mutating func identifier<Tag>(
    _ id: Identifier<Tag>,
    _ source: TraceNames
  ) -> Identifier<Tag> {
    guard let name = id.name else { return id }
    return Identifier(named: string(name, .prose, source))
  }

  /// Digits show when a process began and whether a log is continued: other words may be anything.
  mutating func moment(_ text: String) -> String {
    let isMoment = text.utf8.allSatisfy {
      (0x30...0x3a).contains($0) || "TZ+-.".utf8.contains($0)
    }
    return isMoment ? text : self.text(text, .prose)
  }

  mutating func object(_ object: ObjectRef, _ source: TraceNames) -> ObjectRef {
    ObjectRef(
      id: identifier(object.id, source),
      className: string(object.className, .name, source),
      kind: object.kind
    )
  }

  mutating func context(_ context: Context, _ source: TraceNames) -> Context {
    guard case .named(let name) = context else { return context }
    return .named(string(name, .name, source))
  }

  // MARK: - Images and stacks

  /// Takes in an image, and forgets all of them when the log of another process begins, as a replay does.
  private mutating func follow(_ body: Event.Body) {
    switch body {
    case .process(let next):
      if process.map({ !$0.isContinued(by: next) }) ?? hasEvents {
        (modules, images, stacks, hasEvents) = ([], nil, [:], false)
        process = next
      }
      process = process ?? next
    case .module(let module):
      modules.append(module)
      images = nil
      stacks = [:]
    case .threadName, .crash, .exit: break
    default: hasEvents = true
    }
  }

  private mutating func stack(_ id: StackID, _ source: TraceNames) -> StackID {
    if id == .none { return .none }
    if let known = stacks[id] { return known }
    var frames: [Frame] = []
    for frame in source.frames(of: id) { append(frame, to: &frames, source) }
    let new = names.id(of: frames)
    stacks[id] = new
    return new
  }

  private mutating func append(_ frame: Frame, to frames: inout [Frame], _ source: TraceNames) {
    var copy = Frame(
      address: frame.address,
      symbol: string(frame.symbol, .code, source),
      module: string(frame.module, .image, source),
      file: string(frame.file, .code, source),
      line: frame.line
    )
    let found = frame.symbol == .none && frame.file == .none ? sourceFrames(frame.address) : nil
    guard let found, !found.frames.isEmpty else {
      frames.append(copy)
      return
    }
    for source in found.frames {
      // No function of the C library, or of the runtime, is named after a type of the program.
      let isOfSystem = source.swiftModule == nil && SystemNames.hasSystemName(found.module.path)
      copy.symbol = names.id(of: isOfSystem ? source.function : text(source.function, .code))
      // The module says whose a Swift function is; for others the image does.
      let image = source.swiftModule ?? found.module.path
      copy.module = names.id(of: text(image, .image))
      copy.file = source.file.map { names.id(of: text($0, .code)) } ?? .none
      copy.line = source.file == nil ? 0 : UInt32(clamping: source.line)
      frames.append(copy)
    }
  }

  private mutating func sourceFrames(
    _ address: UInt64
  ) -> (module: Module, frames: [SourceFrame])? {
    guard let resolver else { return nil }
    let images = self.images ?? LoadedImages(modules)
    self.images = images
    guard let module = images.image(at: address) else { return nil }
    return (module, resolver.frames(at: address, in: module))
  }
}
