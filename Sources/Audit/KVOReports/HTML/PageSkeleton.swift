/// What all pages have in common: one file that loads nothing, with its styles and scripts included.
///
/// Those are in the folder Page, each in its own language, and part of the program.
struct PageSkeleton {
  let title: String
  /// Whether the page has the elements that the script needs.
  var hasScript = false
  /// What distinguishes the page from the next one, when it is served while its log grows.
  var liveState: String?

  /// The page around the output of `body`.
  func render(_ body: (inout HTMLText) -> Void) -> [UInt8] {
    var page = HTMLText()
    page.markup("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en", "data-state": liveState]) { page in
      page.line()
      page.element("head", [:], head)
      page.line()
      page.element("body") { page in
        // The signs of the severities, each with its own shape: colors alone are not accessible to many readers.
        page.markup(PackageResources.icons_svg)
        body(&page)
        if hasScript {
          page.element("script") { $0.block(PackageResources.page_js) }
          page.line()
        }
        if liveState != nil {
          page.element("script") { $0.block(PackageResources.live_js) }
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
      (hasScript ? ["'\(PageDigest.script)'"] : [])
      + (liveState != nil ? ["'\(PageDigest.liveScript)'"] : [])
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
    page.element("style") { $0.block(PackageResources.page_css) }
    page.line()
  }
}
