import BankModel
import Glibc
import KVOSafety

/// Observes on every line that it gets, until its input ends.
enum ControlledProbe {
  static func run() {
    var accounts: [Account] = []
    var tokens: [ObservationToken] = []
    while let line = readLine() {
      // Two at a time are observed.
      if tokens.count == 2 { tokens.removeFirst().invalidate() }
      let account = Account()
      accounts.append(account)
      tokens.append(account.observe(\.balance) { _, _ in })
      account.balance += 1
      print(line)
      fflush(nil)
    }
    for token in tokens { token.invalidate() }
  }
}
