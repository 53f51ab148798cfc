import KVOAudit
import KVORules
import KVOText

extension HTMLText {
  /// Writes what a heap snapshot says: its leaks, and what holds the objects of live observations.
  mutating func writeSnapshot(_ snapshot: SnapshotReport) {
    element("div", ["class": "panel"]) { page in
      page.line()
      page.element("p") { page in
        page.element("code", text: snapshot.path)
        page.text(": \(snapshot.title)")
      }
      page.line()
      for gap in snapshot.gaps {
        page.element("p", ["class": "quiet small"], text: "Not all was read: \(gap).")
      }
    }
    line()
    element("div", ["class": "panel"]) { page in
      page.line()
      page.element("p", ["class": "quiet small"], text: "Leaks")
      page.line()
      if snapshot.leaks.isEmpty {
        page.element("p", text: "No object that nothing but itself owns.")
      } else {
        page.element("ul", ["class": "plain"]) { page in
          page.entries(Array(snapshot.leaks.prefix(HTMLReportRenderer.listLimit))) { page, leak in
            page.text("\(leak.figures): ")
            page.element("code", text: leak.text)
          }
        }
        page.writeRest(snapshot.leaks.count, "kind of leak", "kinds of leaks")
      }
    }
    line()
    element("div", ["class": "panel"]) { page in
      page.line()
      page.element("p", ["class": "quiet small"], text: "Live observations")
      page.line()
      if let problem = snapshot.problem {
        page.element("p", text: "Not compared with the log: \(problem).")
        return
      }
      page.element("p", text: "\(snapshot.tiedSentence).")
      for registration in snapshot.registrations.prefix(HTMLReportRenderer.listLimit) {
        page.line()
        page.element("h3", text: registration.sentence)
        page.writeHeld(registration.held)
      }
      page.writeRest(snapshot.registrationCount, "observation")
    }
    line()
  }

  /// Writes what holds some objects.
  mutating func writeHeld(_ held: [SnapshotReport.Held]) {
    element("ul", ["class": "leads small"]) { page in
      for held in held {
        page.element("li") { page in
          page.element("code", text: held.name)
          page.text(", held by ")
          page.element("code", text: held.holder)
        }
        page.line()
      }
    }
  }

  private mutating func writeRest(_ count: Int, _ what: String, _ plural: String? = nil) {
    let more = count - HTMLReportRenderer.listLimit
    guard more > 0 else { return }
    let text = "and \(Wording.count(more, what, plural)) more"
    element("p", ["class": "quiet small"], text: text)
  }
}
