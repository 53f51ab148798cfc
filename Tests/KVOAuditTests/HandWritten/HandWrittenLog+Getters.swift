// An Objective-C Foundation may read the new value at the end of a change, before it notifies the observers. If the
// getter changes something, that is changed and notified before the observers are notified of the first change.
extension HandWrittenLog {
  private static let other = #""subject":$account,"key":"number""#
  private static let otherPair =
    #""subject":$account,"observer":$page,"keyPath":"number","context":null"#

  static let getters = [
    HandWrittenLog(
      "an announced change whose getter changes another key before the notification",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["new","prior"],"registration":1,$made}
      {"event":"register","thread":1,"order":2,\(otherPair),"options":["new","prior"],"registration":2,$made}
      {"event":"willChange","thread":1,"order":3,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":4,"registration":1,"change":3,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":5,$change,"change":3,$in}
      {"event":"willChange","thread":1,"order":6,\(other),"change":5,$in}
      {"event":"notify","thread":1,"order":7,"registration":2,"change":5,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":2,"change":5,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":8,\(other),"change":5,$in}
      {"event":"notify","thread":1,"order":9,"registration":2,"change":5,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":2,"change":5,"phase":"after","handled":true}
      {"event":"notify","thread":1,"order":10,"registration":1,"change":3,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"after","handled":true}
      {"event":"remove","thread":1,"order":11,$pair,"registration":1,$in}
      {"event":"remove","thread":1,"order":12,\(otherPair),"registration":2,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "an announced change that another key's change follows, and that is never notified",
      ["KVO013"],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["new","prior"],"registration":1,$made}
      {"event":"register","thread":1,"order":2,\(otherPair),"options":["new","prior"],"registration":2,$made}
      {"event":"willChange","thread":1,"order":3,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":4,"registration":1,"change":3,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":5,$change,"change":3,$in}
      {"event":"willChange","thread":1,"order":6,\(other),"change":5,$in}
      {"event":"notify","thread":1,"order":7,"registration":2,"change":5,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":2,"change":5,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":8,\(other),"change":5,$in}
      {"event":"notify","thread":1,"order":9,"registration":2,"change":5,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":2,"change":5,"phase":"after","handled":true}
      {"event":"remove","thread":1,"order":10,$pair,"registration":1,$in}
      {"event":"remove","thread":1,"order":11,\(otherPair),"registration":2,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a getter that sets its own key, whose change is notified first",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["new"],"registration":1,$made}
      {"event":"willChange","thread":1,"order":2,$change,"change":2,$in}
      {"event":"didChange","thread":1,"order":3,$change,"change":2,$in}
      {"event":"willChange","thread":1,"order":4,$change,"change":3,$in}
      {"event":"didChange","thread":1,"order":5,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":6,"registration":1,"change":3,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"after","handled":true}
      {"event":"notify","thread":1,"order":7,"registration":1,"change":2,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":2,"phase":"after","handled":true}
      {"event":"remove","thread":1,"order":8,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two changes of one key, of which only the second is notified",
      ["KVO032"],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["new"],"registration":1,$made}
      {"event":"willChange","thread":1,"order":2,$change,"change":2,$in}
      {"event":"didChange","thread":1,"order":3,$change,"change":2,$in}
      {"event":"willChange","thread":1,"order":4,$change,"change":3,$in}
      {"event":"didChange","thread":1,"order":5,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":6,"registration":1,"change":3,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"after","handled":true}
      {"event":"remove","thread":1,"order":8,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a getter that sets its own key, both changes announced",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["new","prior"],"registration":1,$made}
      {"event":"willChange","thread":1,"order":2,$change,"change":2,$in}
      {"event":"notify","thread":1,"order":3,"registration":1,"change":2,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":2,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":4,$change,"change":2,$in}
      {"event":"willChange","thread":1,"order":5,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":6,"registration":1,"change":3,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":7,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":8,"registration":1,"change":3,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"after","handled":true}
      {"event":"notify","thread":1,"order":9,"registration":1,"change":2,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":2,"phase":"after","handled":true}
      {"event":"remove","thread":1,"order":10,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two announced changes of one key, of which only the second is notified",
      ["KVO013"],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["new","prior"],"registration":1,$made}
      {"event":"willChange","thread":1,"order":2,$change,"change":2,$in}
      {"event":"notify","thread":1,"order":3,"registration":1,"change":2,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":2,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":4,$change,"change":2,$in}
      {"event":"willChange","thread":1,"order":5,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":6,"registration":1,"change":3,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,"order":7,$change,"change":3,$in}
      {"event":"notify","thread":1,"order":8,"registration":1,"change":3,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":3,"phase":"after","handled":true}
      {"event":"remove","thread":1,"order":9,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
  ]
}
