import BankModel
import Glibc
import KVORetention
import KVOSafety

// Observes, and leaves objects of which it is known who holds them: `SnapshotProbe FILE` writes a heap snapshot of them,
// and `SnapshotProbe` alone lets others take one until its standard input ends. With KVO_SAFETY_LOG, a log names the same
// objects.

final class Screen: KeyValueObserver {
  var account: Account?
  var action: (() -> Void)?

  init(_ account: Account) {
    self.account = account
    account.addObserver(self, forKeyPath: "balance")
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling { .handled }
}

// unsafe: the program changes them on one thread.
nonisolated(unsafe) var account: Account?
nonisolated(unsafe) var screen: Screen?
nonisolated(unsafe) var latest: Screen?

/// A screen that keeps itself alive, and its account.
@inline(never)
func lose() {
  let lost = Screen(Account())
  lost.action = { lost.account?.balance += 1 }
}

/// The address of a screen that is deallocated while it observes.
@inline(never)
func drop(_ account: Account) -> UInt {
  let screen = Screen(account)
  return UInt(bitPattern: Unmanaged.passUnretained(screen).toOpaque())
}

let shared = Account()
account = shared
let first = Screen(shared)
screen = first
shared.removeObserver(first, forKeyPath: "balance")
shared.removeObserver(first, forKeyPath: "balance")
lose()
let address = drop(shared)
// In the memory of the one that is gone.
var others: [Screen] = []
while latest == nil, others.count < 1_000 {
  let next = Screen(shared)
  if UInt(bitPattern: Unmanaged.passUnretained(next).toOpaque()) == address {
    latest = next
  } else {
    shared.removeObserver(next, forKeyPath: "balance")
    others.append(next)
  }
}
others = []
print(latest == nil ? "not reused" : "reused")

if let path = CommandLine.arguments.dropFirst().first {
  try RetainSearch().writeSnapshot(to: path)
} else {
  try RetainSearch().allowSnapshots()
  print("ready")
  fflush(nil)
  while readLine() != nil {}
}
