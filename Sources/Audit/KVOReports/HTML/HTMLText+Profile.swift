import KVOAudit
import KVORules
import KVOText

extension HTMLText {
  /// How many bytes of stacks a page has for other tools.
  private static let profileByteLimit = 300_000

  /// Writes the stacks that register, and the button that opens them in the Firefox Profiler; without a script, both stay
  /// hidden.
  ///
  /// The profiler takes lines of calls, outermost first, with semicolons between them and a count at the end. It
  /// answers a page of any origin, also one from disk, which Perfetto does not.
  ///
  /// Sources: docs-developer/loading-in-profiles.md and src/profile-logic/import/flame-graph of
  /// <https://github.com/firefox-devtools/profiler>; B. Gregg, FlameGraph, `stackcollapse.pl`.
  mutating func writeProfile(_ sites: [CallSiteCount]) {
    element("div", ["id": "profile", "hidden": ""]) { page in
      page.line()
      page.element("div", ["class": "shown quiet small"]) { page in
        page.element(
          "button",
          ["type": "button", "id": "profiler"],
          text: "Open in the Firefox Profiler"
        )
        page.element(
          "span",
          text:
            "A click opens https://profiler.firefox.com/ in a new tab and hands it the functions and "
            + "counts of this drawing. That page keeps them in this browser, unless you upload them there; "
            + "nothing is sent before."
        )
      }
      page.line()
      page.element("pre", ["id": "stacks", "hidden": ""]) { page in
        page.line()
        let end = page.bytes.count + Self.profileByteLimit
        for site in sites.prefix(FlameGraph.siteLimit) {
          let overCount = site.madeCount - site.liveCount
          for (state, count) in [("live at the end", site.liveCount), ("over", overCount)]
          where count > 0 && page.bytes.count < end {
            page.text(Self.stack(site.site, state) + " \(count)", limit: .max)
            page.line()
          }
        }
      }
      page.line()
    }
    line()
  }

  private static func stack(_ site: CallSite, _ state: String) -> String {
    let calls = FlameGraph.calls(to: site).map { call in
      call.location.isEmpty ? call.name : "\(call.name) (\(call.location))"
    }
    return ([state] + calls + ["\(site.subject).\(site.keyPath)"])
      .map { $0.replacing(";", with: ":") }.joined(separator: ";")
  }
}
