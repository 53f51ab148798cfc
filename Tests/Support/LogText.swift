/// Logs and parts of logs that tests put together.
package enum LogText {
  package static let exit = "{\"event\":\"exit\",\"status\":0}\n"
  package static let threadName = "{\"event\":\"threadName\",\"thread\":1,\"name\":\"main\"}\n"

  /// An observation that is made once and removed twice: six lines with a `process` line, five
  /// without one.
  ///
  /// Equal numbers are parts of one process.
  package static func doubleRemove(process: Int?) -> String {
    let head = process.map {
      #"{"event":"process","schema":1,"pid":\#($0),"started":"2026-02-03T04:05:06Z"}"# + "\n"
    }
    let objects =
      #""subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"}"#
    return (head ?? "") + threadName + """
      {"event":"register","thread":1,\(objects),"keyPath":"balance","registration":5,"stack":["Screen.init(account:) (Screen.swift:12)"]}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"remove","thread":1,\(objects),"keyPath":"balance","registration":5,"stack":["Screen.viewDidDisappear() (Screen.swift:29)"]}
      {"event":"remove","thread":1,\(objects),"keyPath":"balance","stack":["Screen.deinit (Screen.swift:41)","main (main.swift:6)"]}

      """
  }
}
