extension SparseLog {
  static let paths = [
    SparseLog(
      "an object of the path is deallocated",
      ["KVO015 error"],
      """
      {"event":"register",$both,"keyPath":"owner.name","registration":5}
      {"event":"attach","registration":5,$link,"object":$person}
      {"event":"deinit","object":$person}
      {"event":"deinitEnd","object":$person}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an unowned object of the path is deallocated",
      ["KVO015 error"],
      """
      {"event":"register",$both,"keyPath":"owner.name","registration":5}
      {"event":"attach","registration":5,$link,"object":$person,"strength":"unowned"}
      {"event":"deinit","object":$person}
      {"event":"deinitEnd","object":$person}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a weak object of the path is deallocated",
      ["KVO016 warning"],
      """
      {"event":"register",$both,"keyPath":"owner.name","registration":5}
      {"event":"attach","registration":5,$link,"object":$person,"strength":"weak"}
      {"event":"deinit","object":$person}
      {"event":"deinitEnd","object":$person}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a weak object is deallocated after the removal",
      [],
      """
      {"event":"register",$both,"keyPath":"owner.name","registration":5}
      {"event":"attach","registration":5,$link,"object":$person,"strength":"weak"}
      {"event":"remove",$both,"keyPath":"owner.name"}
      {"event":"deinit","object":$person}
      {"event":"deinitEnd","object":$person}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an object of the path is replaced and deallocated",
      [],
      """
      {"event":"register",$both,"keyPath":"owner.name","registration":5}
      {"event":"attach","registration":5,$link,"object":$person}
      {"event":"willChange","subject":$account,"key":"owner","change":1}
      {"event":"deinit","object":$person}
      {"event":"deinitEnd","object":$person}
      {"event":"didChange","subject":$account,"key":"owner","change":1}
      {"event":"notify","registration":5,"change":1}
      {"event":"notifyEnd","registration":5,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a cycle with a weak link",
      [],
      """
      {"event":"hold","from":$screen,"to":$token}
      {"event":"hold","from":$token,"to":$closure}
      {"event":"hold","from":$closure,"to":$screen,"strength":"weak"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a cycle of objects of unknown kinds",
      ["KVO019 warning"],
      """
      {"event":"hold","from":{"class":"A","id":"1"},"to":{"class":"B","id":"2"}}
      {"event":"hold","from":{"class":"B","id":"2"},"to":{"class":"A","id":"1"}}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a cycle of ordinary objects",
      [],
      """
      {"event":"hold","from":$one,"to":$two}
      {"event":"hold","from":$two,"to":$one}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a cycle with a suspected link",
      ["KVO019 note"],
      """
      {"event":"hold","from":$screen,"to":$token}
      {"event":"hold","from":$token,"to":$closure,"certainty":"suspected"}
      {"event":"hold","from":$closure,"to":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a cycle that no walk has seen whole",
      [],
      """
      {"event":"walkBegin","roots":[$screen]}
      {"event":"hold","from":$screen,"to":$token}
      {"event":"hold","from":$token,"to":$closure}
      {"event":"walkEnd"}
      {"event":"walkBegin","roots":[$closure]}
      {"event":"hold","from":$closure,"to":$screen}
      {"event":"walkEnd"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a walk that is not complete",
      [],
      notJudged: ["KVO019"],
      """
      {"event":"walkBegin","roots":[$screen]}
      {"event":"hold","from":$screen,"to":$token}
      {"event":"walkEnd","complete":false,"opaque":["Box"]}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "keys that depend on each other through the superclass",
      ["KVO028 note"],
      """
      {"event":"declares","class":"Base","key":"gross","affectedBy":["net"]}
      {"event":"declares","class":"P","key":"net","affectedBy":["gross"],"superclass":"Base"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "keys that depend on each other through the first key of a path",
      ["KVO028 note"],
      """
      {"event":"declares","class":"P","key":"summary","affectedBy":["owner.name"]}
      {"event":"declares","class":"P","key":"owner","affectedBy":["summary"]}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a key that depends on what its value holds",
      [],
      """
      {"event":"declares","class":"P","key":"owner","affectedBy":["owner.name"]}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "keys of classes that are not related",
      [],
      """
      {"event":"declares","class":"Q","key":"gross","affectedBy":["net"]}
      {"event":"declares","class":"P","key":"net","affectedBy":["gross"]}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a class that is changed",
      ["KVO030 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"class","object":$account,"class":"Proxy"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a class that observing made",
      [],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"class","object":$account,"class":"Whatever","kvoSubclass":true}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a class that is changed back",
      [],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"class","object":$account,"class":"Proxy"}
      {"event":"class","object":$account,"class":"Account"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
  ]
}
