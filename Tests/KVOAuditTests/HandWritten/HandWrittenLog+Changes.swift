extension HandWrittenLog {
  static let changes = [
    HandWrittenLog(
      "a change that is told",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"willChange","thread":1,$change,"change":1,$in}
      {"event":"didChange","thread":1,$change,"change":1,$in}
      {"event":"notify","thread":1,"order":2,"registration":1,"change":1,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":1,"phase":"after","handled":true}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a change that is not told",
      ["KVO032"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"willChange","thread":1,$change,"change":1,$in}
      {"event":"didChange","thread":1,$change,"change":1,$in}
      {"event":"willChange","thread":1,"subject":$account,"key":"number","change":2,$in}
      {"event":"didChange","thread":1,"subject":$account,"key":"number","change":2,$in}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a change that is told on another thread, later",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"willChange","thread":2,"order":2,$change,"change":1,$in}
      {"event":"didChange","thread":2,"order":3,$change,"change":1,$in}
      {"event":"willChange","thread":1,"order":1,"subject":$page,"key":"title","change":2,$in}
      {"event":"didChange","thread":1,"order":2,"subject":$page,"key":"title","change":2,$in}
      {"event":"notify","thread":2,"order":4,"registration":1,"change":1,"phase":"after"}
      {"event":"notifyEnd","thread":2,"registration":1,"change":1,"phase":"after"}
      {"event":"remove","thread":1,"order":5,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a change that ends and never began",
      ["KVO012"],
      """
      {"event":"didChange","thread":1,$change,"change":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a change that begins and never ends",
      ["KVO012"],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"test"}
      {"event":"willChange","thread":1,$change,"change":1,$in,"scope":1}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "changes that cross",
      ["KVO012"],
      """
      {"event":"willChange","thread":1,$change,"change":1,$in}
      {"event":"willChange","thread":1,"subject":$account,"key":"name","change":2,$in}
      {"event":"didChange","thread":1,$change,"change":1,$in}
      {"event":"didChange","thread":1,"subject":$account,"key":"name","change":2,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "changes of two threads that cross",
      [],
      """
      {"event":"willChange","thread":1,"order":1,$change,"change":1,$in}
      {"event":"willChange","thread":2,"order":2,"subject":$account,"key":"name","change":2,$in}
      {"event":"didChange","thread":1,"order":3,$change,"change":1,$in}
      {"event":"didChange","thread":2,"order":4,"subject":$account,"key":"name","change":2,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a change that was announced and not told",
      ["KVO013"],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["prior"],"registration":1,$made}
      {"event":"willChange","thread":1,$change,"change":1,$in}
      {"event":"notify","thread":1,"order":2,"registration":1,"change":1,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":1,"change":1,"phase":"prior"}
      {"event":"didChange","thread":1,$change,"change":1,$in}
      {"event":"willChange","thread":1,"subject":$account,"key":"number","change":2,$in}
      {"event":"didChange","thread":1,"subject":$account,"key":"number","change":2,$in}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "registered in the middle of a change, and not told of it",
      ["KVO011"],
      """
      {"event":"willChange","thread":2,"order":1,$change,"change":1,$in}
      {"event":"register","thread":1,"order":2,$pair,"registration":1,$made}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"didChange","thread":2,"order":3,$change,"change":1,$in}
      {"event":"willChange","thread":2,"order":4,"subject":$account,"key":"number","change":2,$in}
      {"event":"didChange","thread":2,"order":5,"subject":$account,"key":"number","change":2,$in}
      {"event":"remove","thread":1,"order":6,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a value that becomes another in silence",
      ["KVO014"],
      """
      {"event":"write","thread":1,"subject":$account,"key":"balance","fingerprint":"a",$in}
      {"event":"write","thread":1,"subject":$account,"key":"balance","fingerprint":"b",$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a value that becomes another by a change",
      [],
      """
      {"event":"write","thread":1,"subject":$account,"key":"balance","fingerprint":"a",$in}
      {"event":"willChange","thread":1,$change,"change":1,$in}
      {"event":"didChange","thread":1,$change,"change":1,$in}
      {"event":"write","thread":1,"subject":$account,"key":"balance","fingerprint":"b",$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a notification that nobody handled",
      ["KVO017"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"notify","thread":1,"order":2,"registration":1,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"after","handled":false,$in}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
  ]
}
