/// What all pages have in common: one file that loads nothing, with its looks and its script in it.
struct PageSkeleton {
  let title: String
  /// Whether the page has what the script works on.
  var hasScript = false
  /// What tells the page from the next one, where it is served while its log grows.
  var liveState: String?

  /// The page around what `body` writes.
  func render(_ body: (inout HTMLText) -> Void) -> [UInt8] {
    var page = HTMLText()
    page.markup("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en", "data-state": liveState]) { page in
      page.line()
      page.element("head", [:], head)
      page.line()
      page.element("body") { page in
        page.markup(Self.icons)
        page.line()
        body(&page)
        if hasScript {
          page.element("script") { $0.markup(PageScript.source) }
          page.line()
        }
        if liveState != nil {
          page.element("script") { $0.markup(LiveScript.source) }
          page.line()
        }
      }
    }
    page.line()
    return page.bytes
  }

  private func head(_ page: inout HTMLText) {
    page.line()
    page.open("meta", ["charset": "utf-8"])
    page.line()
    page.open(
      "meta",
      ["name": "viewport", "content": "width=device-width, initial-scale=1"]
    )
    page.line()
    page.open("meta", ["name": "color-scheme", "content": "light dark"])
    page.line()
    // Nothing in a report can load or run anything, should it ever get past the escaping.
    let sources =
      (hasScript ? ["'\(PageScript.integrity)'"] : [])
      + (liveState != nil ? ["'\(LiveScript.integrity)'"] : [])
    let scripts = sources.isEmpty ? "" : "script-src \(sources.joined(separator: " ")); "
    let connections = liveState != nil ? "connect-src 'self'; " : ""
    page.open(
      "meta",
      [
        "http-equiv": "Content-Security-Policy",
        "content": "default-src 'none'; \(scripts)\(connections)style-src 'unsafe-inline'; "
          + "base-uri 'none'; form-action 'none'",
      ]
    )
    page.line()
    page.element("title", text: title)
    page.line()
    page.element("style") { $0.markup(PageStyle.source) }
    page.line()
  }

  /// The signs of the severities, each with a shape of its own: colours alone tell nothing to many.
  private static let icons: StaticString = """
    <svg class="icons" aria-hidden="true" width="0" height="0"><defs>
    <symbol id="icon-error" viewBox="0 0 16 16"><path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/>\
    <path class="mark" d="M5.5 5.5l5 5m0-5l-5 5"/></symbol>
    <symbol id="icon-warning" viewBox="0 0 16 16"><path d="M8 1.5l7.3 13H.7z"/>\
    <path class="mark" d="M8 6v4m0 1.8v.4"/></symbol>
    <symbol id="icon-note" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7"/>\
    <path class="mark" d="M8 7v5m0-8v.4"/></symbol>
    <symbol id="icon-clean" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7"/>\
    <path class="mark" d="M4.7 8.3l2.3 2.3 4.3-4.8"/></symbol>
    </defs></svg>
    """
}
