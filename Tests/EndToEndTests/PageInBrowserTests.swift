import Foundation
import TestSupport
import Testing

/// The page in a real browser, as people see it.
@Suite(
  "The page in a browser",
  .serialized,
  .enabled(if: Browser.path != nil, "needs chromium: Scripts/setup tests installs it")
)
struct PageInBrowserTests {
  private let folder: ScratchFolder
  private let browser: Browser

  init() throws {
    folder = try ScratchFolder()
    browser = try Browser(in: folder.url)
  }

  /// The page of the demo's audit.
  private func demo() throws -> URL {
    let (log, _) = try Example(name: "Demo", status: 1).record(in: folder)
    return try page(of: log.lastPathComponent)
  }

  private func page(of log: String) throws -> URL {
    let audit = try Built.run("kvo-audit", ["--format", "html=page.html", log], in: folder.url)
    #expect(audit.complaint == "" && audit.output == "")
    return folder.url.appending(path: "page.html")
  }

  private static let shown =
    "[...document.querySelectorAll('.finding')].filter((one) => !one.hidden).length"
  private static let open =
    "[...document.querySelectorAll('.finding[open] .body')].map((one) => one.id).join()"
  private static let focused =
    "[...document.querySelectorAll('.finding')].indexOf(document.activeElement.parentElement)"

  @Test("shows the verdict and the first findings at once, in light and dark, wide and narrow")
  func rendering() throws {
    let page = try demo()
    var backgrounds: Set<String> = []
    for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)] {
      try browser.show(width: width, scheme: scheme)
      try browser.open(page)
      #expect(try browser.text("document.querySelector('h1').textContent") == "KVO audit: 4 errors")
      #expect(try browser.number(Self.shown) == 4)
      #expect(
        try browser.isTrue("document.querySelector('.finding').getBoundingClientRect().top < 900"),
        "the first finding is on the first screen"
      )
      #expect(
        try browser.isTrue("document.documentElement.scrollWidth <= innerWidth"),
        "nothing is wider than \(width) pixels"
      )
      #expect(try browser.text(PageProbes.faint) == "", "\(scheme)")
      backgrounds.insert(try browser.text("getComputedStyle(document.body).backgroundColor"))
    }
    #expect(backgrounds.count == 2)
    #expect(try browser.complaints == [])
  }

  @Test("filters by text, rule and severity, and shows the number of remaining findings")
  func filtering() throws {
    try browser.open(try demo())
    let status = "document.getElementById('shown').textContent"
    #expect(try browser.text(status) == "4 of 4 findings shown")
    try browser.press("/")
    try browser.type("Greeting fullname")
    #expect(try browser.number(Self.shown) == 1)
    #expect(try browser.text(status) == "1 of 4 findings shown")
    try browser.press("Escape")
    #expect(try browser.number(Self.shown) == 4)
    _ = try browser.value(
      """
      document.getElementById('rule').value = 'KVO006';
      document.getElementById('rule').dispatchEvent(new Event('input', { bubbles: true }));
      """
    )
    #expect(try browser.number(Self.shown) == 1)
    _ = try browser.value("document.querySelector('#filter input[value=error]').click()")
    #expect(try browser.text(status) == "0 of 4 findings shown")
    // The tables are filters, too, and forget what was filtered before.
    for (name, count) in [("KVO007", 1), ("main.swift", 4)] {
      _ = try browser.value(
        "[...document.querySelectorAll('a[data-field]')].find((one) => one.textContent.includes('\(name)')).click()"
      )
      #expect(try browser.number(Self.shown) == count)
    }
    #expect(try browser.text("document.getElementById('file').value") == "main.swift")
    #expect(try browser.complaints == [])
  }

  @Test("a search that a stack answers opens its finding and marks the frames, until it is cleared")
  func searchInStacks() throws {
    try browser.open(try demo())
    let hits =
      "[...document.querySelectorAll('.frames .hit .function')].map((one) => one.textContent).join()"
    try browser.press("/")
    try browser.type("viewDidDisappear")
    #expect(try browser.number(Self.shown) == 1)
    #expect(try browser.text(Self.open).hasPrefix("2:6898ccf5d8"))
    #expect(try browser.text(hits) == "BalanceScreen.viewDidDisappear()")
    try browser.press("Escape")
    #expect(try browser.text(Self.open) == "")
    #expect(try browser.text(hits) == "")
    // The line of a finding says this itself.
    try browser.press("/")
    try browser.type("fullname")
    #expect(try browser.number(Self.shown) == 1)
    #expect(try browser.text(Self.open) == "")
    // On paper, the number of findings that are left out remains.
    try browser.show(width: 760, isPrint: true)
    #expect(try browser.isTrue("document.getElementById('shown').offsetHeight > 0"))
    #expect(try browser.isTrue("document.getElementById('open-all').offsetHeight === 0"))
    #expect(try browser.complaints == [])
  }

  @Test(
    "a signature in the address opens its finding, also where it was filtered out or no script runs"
  )
  func deepLinks() throws {
    let page = try demo()
    try browser.open(page)
    let third = "document.querySelectorAll('.finding .body')[2].id"
    let signature = try browser.text(third)
    #expect(signature.count == 34)
    try browser.open(page, fragment: signature)
    try browser.wait(until: "\(Self.focused) === 2")
    #expect(try browser.text(Self.open) == signature)
    #expect(
      try browser.text("getComputedStyle(document.querySelectorAll('.finding')[2]).outlineStyle")
        == "solid"
    )

    try browser.open(page)
    try browser.press("/")
    try browser.type("nothing has this in it")
    #expect(try browser.number(Self.shown) == 0)
    _ = try browser.value(
      "new Promise((done) => { addEventListener('hashchange', done); location.hash = '\(signature)'; }).then(() => 0)"
    )
    try browser.wait(until: "\(Self.focused) === 2")
    #expect(try browser.text(Self.open) == signature)

    // Its beginning is enough.
    try browser.open(page, fragment: String(signature.prefix(12)))
    try browser.wait(until: "\(Self.focused) === 2")
    #expect(try browser.text(Self.open) == signature)
    try browser.open(page, fragment: "2:")
    #expect(try browser.text(Self.open) == "")

    try browser.open(page, fragment: "not-a-signature")
    #expect(try browser.text(Self.open) == "")
    // The rest of the script runs whatever the address has.
    try browser.open(page, fragment: "50%")
    try browser.press("j")
    #expect(try browser.number(Self.focused) == 0)
    #expect(try browser.complaints == [])

    try browser.allowScripts(false)
    try browser.open(page, fragment: signature)
    #expect(try browser.text(Self.open) == signature)
    #expect(try browser.isTrue("document.getElementById('filter').offsetHeight === 0"))
  }

  @Test("can be used from the keyboard: j, k, Enter and Tab")
  func keyboard() throws {
    try browser.open(try demo())
    #expect(try browser.number(Self.focused) == -1)
    for (key, place) in [("j", 0), ("j", 1), ("k", 0), ("k", 0), ("j", 1)] {
      try browser.press(key)
      #expect(try browser.number(Self.focused) == place)
    }
    #expect(
      try browser.text("getComputedStyle(document.activeElement).outlineStyle") == "solid",
      "the focus can be seen"
    )
    try browser.press("Enter")
    #expect(try browser.isTrue("document.activeElement.parentElement.open"))
    try browser.press("Tab")
    #expect(try browser.isTrue("document.activeElement.matches('.finding[open] *')"))
    #expect(try browser.complaints == [])
  }

  @Test("has names for all that can be used, one main heading, and no level left out")
  func structure() throws {
    try browser.open(try demo())
    #expect(try browser.text(PageProbes.nameless) == "")
    #expect(try browser.number("document.querySelectorAll('h1').length") == 1)
    #expect(
      try browser.number("document.querySelectorAll('header, nav, main, footer').length") == 4
    )
    #expect(
      try browser.isTrue(
        """
        [...document.querySelectorAll('h1, h2, h3, h4')].map((one) => +one.tagName[1])
          .every((level, place, all) => place === 0 || level <= all[place - 1] + 1)
        """
      )
    )
  }

  @Test("prints everything, opened, dark on light")
  func printing() throws {
    try browser.show(width: 760, scheme: "dark", isPrint: true)
    try browser.open(try demo())
    #expect(
      try browser.isTrue(
        "[...document.querySelectorAll('.finding .body')].every((one) => one.getBoundingClientRect().height > 100)"
      )
    )
    #expect(
      try browser.text("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    #expect(try browser.isTrue("document.querySelector('nav').offsetHeight === 0"))
    #expect(try browser.text(PageProbes.faint) == "")
  }

  @Test("a call of the flame graph takes the whole width when it is clicked, and gives it back")
  func zooming() throws {
    try browser.open(try demo())
    let second = "document.querySelectorAll('.flame li li')[0]"
    let width =
      "Math.round(\(second).offsetWidth / document.querySelector('.flame').offsetWidth * 100)"
    #expect(try browser.number(width) == 60)
    for percent in [100, 60] {
      _ = try browser.value("\(second).querySelector('.call').click()")
      #expect(try browser.number(width) == percent)
    }
    #expect(try browser.complaints == [])
  }

  /// The window that it opens is the page itself here, which only notes what is sent to it.
  @Test(
    "hands the stacks to the Firefox Profiler after a click, when that asks for them, and not before"
  )
  func profiler() throws {
    try browser.open(try demo())
    _ = try browser.value(
      """
      window.sent = [];
      window.open = (address) => { window.opened = address; return window; };
      window.postMessage = (message, target) => window.sent.push([message, target]);
      window.answer = (origin, name) =>
        window.dispatchEvent(new MessageEvent("message", { origin, source: window, data: { name } }));
      window.profiles = () => window.sent.filter(([message]) => message.name === "inject-profile");
      """
    )
    #expect(try browser.isTrue("document.getElementById('profiler').offsetHeight > 0"))
    #expect(try browser.isTrue("window.opened === undefined && window.sent.length === 0"))
    _ = try browser.value("document.getElementById('profiler').click()")
    #expect(
      try browser.text("window.opened") == "https://profiler.firefox.com/from-post-message/"
    )
    try browser.wait(until: "window.sent.length > 1")
    _ = try browser.value("answer('https://elsewhere.example', 'ready:response')")
    _ = try browser.value("answer('https://profiler.firefox.com', 'another')")
    #expect(try browser.number("profiles().length") == 0)
    for _ in 0..<2 {
      _ = try browser.value("answer('https://profiler.firefox.com', 'ready:response')")
      #expect(try browser.number("profiles().length") == 1)
    }
    #expect(
      try browser.isTrue(
        "window.sent.every(([, target]) => target === 'https://profiler.firefox.com')"
      )
    )
    let stacks = try browser.text("profiles()[0][0].profile").split(separator: "\n")
    #expect(stacks.allSatisfy { $0.wholeMatch(of: /[^;]+(;[^;]+)+ [0-9]+/) != nil })
    // The same counts as the export for flame graphs has, in two parts.
    for (measure, states) in [
      ("made", ["live at the end;", "over;"]), ("live", ["live at the end;"]),
    ] {
      let export = try Built.run(
        "kvo-audit",
        ["export", "--to", "collapsed", "--count", measure, "Demo.kvolog"],
        in: folder.url
      )
      let own = stacks.filter { stack in states.contains { stack.hasPrefix($0) } }
      #expect(measure == "live" || Self.sum(own) > 0)
      #expect(Self.sum(own) == Self.sum(export.output.split(separator: "\n")))
    }
    #expect(try browser.complaints == [])
  }

  /// The sum of the numbers at the ends of lines.
  private static func sum(_ lines: [Substring]) -> Int {
    lines.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
  }

  @Test("runs and loads nothing from a hostile log")
  func hostile() throws {
    let name =
      #"</script><script>window.hit=1</script><img src=x onerror='window.hit=1'>\u202e\u0000"#
    let object = #"{"class": "\#(name)", "id": "1"}"#
    let line =
      #"{"event": "remove", "subject": \#(object), "observer": \#(object), "keyPath": "\#(name)", "#
      + #""stack": [{"symbol": "\#(name)", "file": "\#(name)", "line": 1}]}"#
    _ = try folder.file("log", line + "\n" + line.replacing("remove", with: "register") + "\n")
    try browser.open(try page(of: "log"))
    #expect(try browser.number(Self.shown) > 0)
    #expect(try browser.isTrue("window.hit === undefined"))
    #expect(try browser.number("document.images.length + document.scripts.length") == 1)
    #expect(try browser.complaints == [])
  }
}

/// Expressions that look for faults, and give them as a text.
enum PageProbes {
  /// Texts whose contrast with the background is less than 4.5 to 1, as WCAG 2.2 requires (AA).
  static let faint = #"""
    (() => {
      const channels = (color) => (color.match(/[\d.]+/g) || []).map(Number);
      const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const ratio = (a, b) => {
        const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
        return (light + 0.05) / (dark + 0.05);
      };
      const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const style = getComputedStyle(at);
          const drawn = style.backgroundImage.match(/rgba?\([^)]*\)/g);
          if (drawn) return drawn.map(channels);
          const color = channels(style.backgroundColor);
          if (color.length === 3 || color[3] > 0) return [color];
        }
        return [[255, 255, 255]];
      };
      document.querySelectorAll("details").forEach((one) => { one.open = true; });
      const found = [];
      let seen = 0;
      for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!own || element.closest("script, .unseen, [hidden]") || element.offsetHeight === 0) continue;
        seen += 1;
        const color = channels(getComputedStyle(element).color);
        for (const back of behind(element)) {
          if (ratio(color, back) < 4.5) {
            found.push(`${element.tagName}.${element.className} ${color} on ${back}`);
          }
        }
      }
      return seen < 50 ? `only ${seen} texts were looked at` : [...new Set(found)].join("\n");
    })()
    """#

  /// What can be used, and has no name for those who do not see it.
  static let nameless = #"""
    [...document.querySelectorAll("a, button, input, select, summary, svg[role], [tabindex]")]
      .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()
        || [...(one.labels || [])].some((label) => label.textContent.trim())))
      .map((one) => one.outerHTML).join("\n")
    """#
}
