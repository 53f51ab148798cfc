extension BinaryFormat.Record {
  /// The kind of record that holds the event.
  package init(of body: Event.Body) {
    self =
      switch body {
      case .process: .process
      case .module: .module
      case .threadName: .threadName
      case .live: .live
      case .register: .register
      case .registerEnd: .registerEnd
      case .refused: .refused
      case .remove: .remove
      case .removeEnd: .removeEnd
      case .cancel: .cancel
      case .willChange: .willChange
      case .didChange: .didChange
      case .notify: .notify
      case .notifyEnd: .notifyEnd
      case .attach: .attach
      case .detach: .detach
      case .deinit: .deinit
      case .deinitEnd: .deinitEnd
      case .write: .write
      case .hold: .hold
      case .drop: .drop
      case .walkBegin: .walkBegin
      case .walkEnd: .walkEnd
      case .expectDeinit: .expectDeinit
      case .scopeBegin: .scopeBegin
      case .scopeEnd: .scopeEnd
      case .lock: .lock
      case .unlock: .unlock
      case .classChanged: .classChanged
      case .declares: .declares
      case .crash: .crash
      case .dropped: .dropped
      case .exit: .exit
      case .expects: .expects
      }
  }
}
