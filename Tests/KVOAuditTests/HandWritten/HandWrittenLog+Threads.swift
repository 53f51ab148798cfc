extension HandWrittenLog {
  static let threads = [
    HandWrittenLog(
      "notified after its removal",
      ["KVO009"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"notify","thread":2,"order":3,"registration":1,"phase":"after"}
      {"event":"notifyEnd","thread":2,"registration":1,"phase":"after"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "notified on another executor than expected",
      ["KVO023"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made,"executor":"MainActor"}
      {"event":"notify","thread":2,"order":2,"registration":1,"phase":"after","executor":"Worker"}
      {"event":"notifyEnd","thread":2,"registration":1,"phase":"after"}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two threads change one value",
      ["KVO024"],
      """
      {"event":"willChange","thread":1,"order":1,$change,"change":1,$in}
      {"event":"willChange","thread":2,"order":2,$change,"change":2,$in}
      {"event":"didChange","thread":1,"order":3,$change,"change":1,$in}
      {"event":"didChange","thread":2,"order":4,$change,"change":2,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two threads change one value, one after the other",
      [],
      """
      {"event":"willChange","thread":1,"order":1,$change,"change":1,$in}
      {"event":"didChange","thread":1,"order":2,$change,"change":1,$in}
      {"event":"willChange","thread":2,"order":3,$change,"change":2,$in}
      {"event":"didChange","thread":2,"order":4,$change,"change":2,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed while the object is deallocated on another thread",
      ["KVO025"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"deinit","thread":2,"order":2,"object":$account,$in}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"removeEnd","thread":1,$pair,"registration":1}
      {"event":"deinitEnd","thread":2,"order":4,"object":$account}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "notified while its thread holds a lock",
      ["KVO026"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"lock","thread":1,"lock":"cache",$in}
      {"event":"notify","thread":1,"order":2,"registration":1,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"after"}
      {"event":"unlock","thread":1,"lock":"cache"}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "notified while another thread holds a lock",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"lock","thread":2,"lock":"cache",$in}
      {"event":"notify","thread":1,"order":2,"registration":1,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"after"}
      {"event":"unlock","thread":2,"lock":"cache"}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "the class of an observed object becomes another, and again the runtime's own",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"class","thread":1,"object":$account,"class":"Proxy","kvoSubclass":false,$in}
      {"event":"class","thread":1,"object":$account,"class":"NSKVONotifying_Account","kvoSubclass":true}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "the class of an observed object becomes another",
      ["KVO030"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"class","thread":1,"object":$account,"class":"Proxy","kvoSubclass":false,$in}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "the class of an observed object becomes the runtime's own",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"class","thread":1,"object":$account,"class":"NSKVONotifying_Account","kvoSubclass":true}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
  ]
}
