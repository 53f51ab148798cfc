/// The names of the events, as a line spells them.
enum CanonicalKind {
  case process, module, threadName, live, register, registerEnd, refused, remove, removeEnd, cancel
  case willChange, didChange, notify, notifyEnd, attach, detach, `deinit`, deinitEnd
  case write, hold, drop, walkBegin, walkEnd, expectDeinit, scopeBegin, scopeEnd, lock, unlock
  case `class`, declares, crash, dropped, exit, expects

  /// Steps over the name that stands at `line`, and its closing quote.
  ///
  /// What a log is full of is tried first.
  @inline(__always)
  init(_ line: inout LineCursor) throws(NotCanonical) {
    if line.take(#"notify""#) {
      self = .notify
    } else if line.take(#"notifyEnd""#) {
      self = .notifyEnd
    } else if line.take(#"willChange""#) {
      self = .willChange
    } else if line.take(#"didChange""#) {
      self = .didChange
    } else if line.take(#"register""#) {
      self = .register
    } else if line.take(#"registerEnd""#) {
      self = .registerEnd
    } else if line.take(#"remove""#) {
      self = .remove
    } else if line.take(#"removeEnd""#) {
      self = .removeEnd
    } else if line.take(#"deinit""#) {
      self = .deinit
    } else if line.take(#"deinitEnd""#) {
      self = .deinitEnd
    } else {
      try self.init(rare: &line)
    }
  }

  @inline(never)
  private init(rare line: inout LineCursor) throws(NotCanonical) {
    if line.take(#"cancel""#) {
      self = .cancel
    } else if line.take(#"attach""#) {
      self = .attach
    } else if line.take(#"detach""#) {
      self = .detach
    } else if line.take(#"lock""#) {
      self = .lock
    } else if line.take(#"unlock""#) {
      self = .unlock
    } else if line.take(#"write""#) {
      self = .write
    } else if line.take(#"hold""#) {
      self = .hold
    } else if line.take(#"drop""#) {
      self = .drop
    } else if line.take(#"scopeBegin""#) {
      self = .scopeBegin
    } else if line.take(#"scopeEnd""#) {
      self = .scopeEnd
    } else if line.take(#"live""#) {
      self = .live
    } else if line.take(#"refused""#) {
      self = .refused
    } else if line.take(#"module""#) {
      self = .module
    } else if line.take(#"threadName""#) {
      self = .threadName
    } else if line.take(#"process""#) {
      self = .process
    } else if line.take(#"expectDeinit""#) {
      self = .expectDeinit
    } else if line.take(#"class""#) {
      self = .class
    } else if line.take(#"declares""#) {
      self = .declares
    } else if line.take(#"walkBegin""#) {
      self = .walkBegin
    } else if line.take(#"walkEnd""#) {
      self = .walkEnd
    } else if line.take(#"crash""#) {
      self = .crash
    } else if line.take(#"dropped""#) {
      self = .dropped
    } else if line.take(#"exit""#) {
      self = .exit
    } else if line.take(#"expects""#) {
      self = .expects
    } else {
      throw NotCanonical()
    }
  }
}
