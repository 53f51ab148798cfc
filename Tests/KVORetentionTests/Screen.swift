@testable import RetentionProbe

/// A screen with closures whose locations tests know by line: lines are not to be moved.
final class Screen: @unchecked Sendable {
  // Sendable: as ViewModel.
  let model = ViewModel()
  var handler: (() -> Void)?
  var later: (() async -> Void)?

  func observe() {
    model.observation = Token {
      self.model.poke(); use(self)
    }
  }

  func observeTwice(_ other: Screen) {
    let count = model.count
    handler = { use((self, other, count)) }
  }

  func observeLater() {
    later = { use(self) }
  }

  func observeByMethod() {
    handler = show
  }

  func observeByAutoclosure() {
    handler = deferred(self.show())
  }

  func show() { model.poke() }

  func observeOnly(_ other: Screen) { other.handler = { other.show() } }

  private func deferred(_ action: @autoclosure @escaping () -> Void) -> () -> Void { action }
}
