import KVOAudit
import KVORules

extension CallSiteStacks {
  /// A profile of pprof with two values for each stack: the registrations that are live at the end, and those made.
  ///
  /// It is not compressed, which pprof does not require. Complexity: O(frames).
  ///
  /// Source: <https://github.com/google/pprof/blob/main/proto/profile.proto>.
  package var pprof: [UInt8] {
    var strings = StringTable()
    var functions: [PprofFunction: Int] = [:]
    var locations: [GraphFrame: Int] = [:]
    var tables = ProtobufMessage()
    var profile = ProtobufMessage()
    for name in ["live", "made"] {
      profile.message(1) {
        $0.number(1, strings[name])
        $0.number(2, strings["count"])
      }
    }
    for count in counts {
      var path: [Int] = []
      for frame in count.site.graphFrames {
        if let known = locations[frame] {
          path.append(known)
          continue
        }
        // Ids begin with 1; pprof does not care whether the tables follow the samples.
        let name = PprofFunction(name: frame.name, file: frame.file)
        let function = functions[name] ?? functions.count + 1
        if functions.updateValue(function, forKey: name) == nil {
          tables.message(5) {
            $0.number(1, function)
            $0.number(2, strings[frame.name])
            $0.number(3, strings[frame.name])
            $0.number(4, strings[frame.file ?? ""])
          }
        }
        let location = locations.count + 1
        locations[frame] = location
        tables.message(4) { message in
          message.number(1, location)
          message.message(4) {
            $0.number(1, function)
            $0.number(2, frame.line)
          }
        }
        path.append(location)
      }
      profile.message(2) { sample in
        // The leaf first.
        sample.numbers(1, path.reversed())
        sample.numbers(2, [count.liveCount, count.madeCount])
        if let observer = count.site.observer {
          sample.message(3) {
            $0.number(1, strings["observer"])
            $0.number(2, strings[observer])
          }
        }
      }
    }
    var document = profile.bytes + tables.bytes
    var end = ProtobufMessage()
    let live = strings["live"]
    for text in strings.texts { end.text(6, text) }
    end.number(14, live)
    document += end.bytes
    return document
  }
}

private struct PprofFunction: Hashable {
  var name: String
  var file: String?
}

/// The strings of a profile by their number; 0 is the empty one.
private struct StringTable {
  private(set) var texts = [""]
  private var numbers = ["": 0]

  subscript(text: String) -> Int {
    mutating get {
      if let number = numbers[text] { return number }
      texts.append(text)
      numbers[text] = texts.count - 1
      return texts.count - 1
    }
  }
}
