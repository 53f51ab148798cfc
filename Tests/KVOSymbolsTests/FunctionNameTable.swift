/// Names that the compiler gave to the functions of a small program and of the libraries it used,
/// with what is shown for them.
enum FunctionNameTable {
  struct Row: Sendable {
    var mangled: String
    var text: String
    var swiftModule: String?
  }

  static let rows: [Row] = [
    Row(
      mangled: "$s10Foundation10FileHandleC011_nulldevicebC0ACvpZfiACyXEfU_10NullDeviceL_C"
        + "08offsetInB0s6UInt64Vvg",
      text: "offsetInFile.getter in NullDevice #1 in closure #1 in variable initialization "
        + "expression of static FileHandle._nulldeviceFileHandle",
      swiftModule: "Foundation"
    ),
    Row(
      mangled: "$s4demo6ScreenC4makeyyF5ModelL_C5countSivpfi",
      text: "variable initialization expression of count in Model #1 in Screen.make()",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo5firstyyFTm", text: "merged first()", swiftModule: "demo"),
    Row(
      mangled: "$s4demo6ScreenC7accountAcA7AccountC_tcfcTm",
      text: "merged Screen.init(account:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$sSo8NSStringC10FoundationE13stringLiteralABs12StaticStringV_tcfC",
      text: "NSString.init(stringLiteral:)",
      swiftModule: "Foundation"
    ),
    Row(mangled: "$sSo7NSArrayCMa", text: "type metadata accessor for NSArray", swiftModule: nil),
    Row(
      mangled: "$s10Foundation4DataV5countSivg",
      text: "Data.count.getter",
      swiftModule: "Foundation"
    ),
    Row(
      mangled: "$ss5print_9separator10terminatoryypd_S2StF",
      text: "print(_:separator:terminator:)",
      swiftModule: "Swift"
    ),
    Row(mangled: "$sSa6appendyyxnF", text: "Array.append(_:)", swiftModule: "Swift"),
    Row(mangled: "$s4demo1AV1BO1CC1dyyF", text: "A.B.C.d()", swiftModule: "demo"),
    Row(mangled: "$s4demo3VecV1loiySbAC_ACtFZ", text: "static Vec.<(_:_:)", swiftModule: "demo"),
    Row(mangled: "$s4demo3VecV2geoiySbAC_ACtFZ", text: "static Vec.>=(_:_:)", swiftModule: "demo"),
    Row(mangled: "$s4demo3VecV2rroiyS2i_SitFZ", text: "static Vec.%%(_:_:)", swiftModule: "demo"),
    Row(mangled: "$s4demo6ScreenCfZ", text: "Screen.deinit", swiftModule: "demo"),
    Row(
      mangled: "$s4demo6ScreenC4doneyyYaFTu",
      text: "async function pointer to Screen.done()",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo5UsesWV1fyyF6$deferL_yyF",
      text: "$defer() in UsesW.f()",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$sytIegr_Ieg_TR",
      text: "thunk for @escaping @callee_guaranteed () -> (@out ())",
      swiftModule: nil
    ),
    Row(
      mangled: "$s4demo7AccountC7balanceSdvpfi",
      text: "variable initialization expression of Account.balance",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC4made33_0123456789ABCDEF0123456789ABCDEFLLyyF",
      text: "Screen.made()",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo1EOMa", text: "type metadata accessor for E", swiftModule: "demo"),
    Row(mangled: "$s4demo1EOWOe", text: "outlined consume of E", swiftModule: "demo"),
    Row(mangled: "$s4demo1EOWOy", text: "outlined copy of E", swiftModule: "demo"),
    Row(mangled: "$s4demo1EOwxx", text: "destroy for E", swiftModule: "demo"),
    Row(mangled: "$s4demo10defaultArg_1bS2i_SStF", text: "defaultArg(_:b:)", swiftModule: "demo"),
    Row(
      mangled: "$s4demo10defaultArg_1bS2i_SStFfA0_",
      text: "default argument 1 of defaultArg(_:b:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo1EOs5ErrorAAsADP5_codeSivgTW",
      text: "protocol witness for Error._code.getter in conformance E",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo1MV4mainyyYaKFZ", text: "static M.main()", swiftModule: "demo"),
    Row(mangled: "$s4demo1MV5$mainyyYaKFZ", text: "static M.$main()", swiftModule: "demo"),
    Row(
      mangled: "$s4demo1MV4mainyyYaKFZS2iXEfU_",
      text: "closure #1 in static M.main()",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo1MV4mainyyYaKFZSiyYacfU0_TATQ0_",
      text: "partial apply for closure #2 in static M.main()",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo1MV4mainyyYaKFZTY0_", text: "static M.main()", swiftModule: "demo"),
    Row(
      mangled: "$s4demo1MV4mainyyYaKFZTf4d_nTQ2_",
      text: "specialized static M.main()",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo1MV4mainyyYaKFZyyYbScMYccfU1_",
      text: "closure #3 in static M.main()",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo1MV4mainyyYaKFZyycAA6ScreenCcfu_yycfu0_TA",
      text: "partial apply for implicit closure #2 in implicit closure #1 in static M.main()",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo1WVyxGlWOh", text: "outlined destroy of W", swiftModule: "demo"),
    Row(mangled: "$s4demo3ActC3incSiyYaF", text: "Act.inc()", swiftModule: "demo"),
    Row(mangled: "$s4demo3ActC3incSiyYaFTQ1_", text: "Act.inc()", swiftModule: "demo"),
    Row(
      mangled: "$s4demo3ActC15unownedExecutorScevg",
      text: "Act.unownedExecutor.getter",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo3ActCfD", text: "Act.deinit", swiftModule: "demo"),
    Row(mangled: "$s4demo3VecV1poiyA2C_ACtFZ", text: "static Vec.+(_:_:)", swiftModule: "demo"),
    Row(mangled: "$s4demo3VecV1sopyA2CFZ", text: "static Vec.-(_:)", swiftModule: "demo"),
    Row(mangled: "$s4demo3VecV1xSdvM.resume.0", text: "Vec.x.modify", swiftModule: "demo"),
    Row(
      mangled: "$s4demo3VecV23__derived_struct_equalsySbAC_ACtFZ",
      text: "static Vec.__derived_struct_equals(_:_:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo3VecVSQAASQ2eeoiySbx_xtFZTW",
      text: "protocol witness for static Equatable.==(_:_:) in conformance Vec",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo3lpgoiyS2i_SitF", text: "<+>(_:_:)", swiftModule: "demo"),
    Row(
      mangled: "$s4demo5UsesWV1aACSi_tcfcfA_",
      text: "default argument 0 of UsesW.init(a:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo5UsesWV1aSivpfP",
      text: "property wrapper backing initializer of UsesW.a",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo5UsesWV2_a33_FF9E13106758533B86DB8B94793D83E0LLAA1WVySiGvg",
      text: "UsesW._a.getter",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo5glob2SaySiGvpfiS2iXEfU_",
      text: "closure #1 in variable initialization expression of glob2",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo5glob2_WZ",
      text: "one-time initialization function for glob2",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC16viewDidDisappearyyF",
      text: "Screen.viewDidDisappear()",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo6ScreenC1nACSgSi_tcfC", text: "Screen.init(n:)", swiftModule: "demo"),
    Row(mangled: "$s4demo6ScreenC2mkACXDyFZ", text: "static Screen.mk()", swiftModule: "demo"),
    Row(
      mangled: "$s4demo6ScreenC3runyyyAA7AccountC_SdtXEF",
      text: "Screen.run(_:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC4make_4withAcA7AccountC_SidtFZ",
      text: "static Screen.make(_:with:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC4make_4withAcA7AccountC_SidtFZ5localL_yS2iF",
      text: "local(_:) in static Screen.make(_:with:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC5InnerC3mapyqd__qd__xKXEKlF",
      text: "Screen.Inner.map(_:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC5InnerC4DeepV1fyyF",
      text: "Screen.Inner.Deep.f()",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC5InnerCyAEy_xGxcfc",
      text: "Screen.Inner.init(_:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC7accountAA7AccountCvg",
      text: "Screen.account.getter",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC7accountAcA7AccountC_tcfC",
      text: "Screen.init(account:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC7accountAcA7AccountC_tcfCTf4gd_n",
      text: "specialized Screen.init(account:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC7accountAcA7AccountC_tcfcyAF_SdtXEfU_",
      text: "closure #1 in Screen.init(account:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenC7accountAcA7AccountC_tcfcyAF_SdtXEfU_yycfU_TA",
      text: "partial apply for closure #1 in closure #1 in Screen.init(account:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenCAA1PA2aDP1vSivMTW.resume.0",
      text: "protocol witness for P.v.modify in conformance Screen",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo6ScreenCAA1PA2aDP2mkxyFZTW",
      text: "protocol witness for static P.mk() in conformance Screen",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo6ScreenCfd", text: "Screen.deinit", swiftModule: "demo"),
    Row(mangled: "$s4demo6ScreenCfD", text: "Screen.deinit", swiftModule: "demo"),
    Row(mangled: "$s4demo6globalSivau", text: "global.unsafeMutableAddressor", swiftModule: "demo"),
    Row(
      mangled:
        "$s4demo7AccountC20$__lazy_storage_$_lz33_FF9E13106758533B86DB8B94793D83E0LLSiSgvpfi",
      text: "variable initialization expression of Account.$__lazy_storage_$_lz",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC2lzSivgSiyXEfU_",
      text: "closure #1 in Account.lz.getter",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC6hidden33_FF9E13106758533B86DB8B94793D83E0LLyySdcSi_SS5labelt_tF",
      text: "Account.hidden(_:)",
      swiftModule: "demo"
    ),
    Row(
      mangled:
        "$s4demo7AccountC6hidden33_FF9E13106758533B86DB8B94793D83E0LLyySdcSi_SS5labelt_tFySdcfU_",
      text: "closure #1 in Account.hidden(_:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC7balanceSdvW",
      text: "Account.balance.didset",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC7balanceSdvw",
      text: "Account.balance.willset",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC7balanceSdvs",
      text: "Account.balance.setter",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC7balanceSdvM",
      text: "Account.balance.modify",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC7balanceSdvpACTK",
      text: "key path getter for Account.balance : Account",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC_1kS2i_SStcig",
      text: "Account.subscript.getter",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s4demo7AccountC_1kS2i_SStcisTf4ndnn_n",
      text: "specialized Account.subscript.setter",
      swiftModule: "demo"
    ),
    Row(mangled: "$s4demo7genericySixAA1PRzlF", text: "generic(_:)", swiftModule: "demo"),
    Row(
      mangled: "$s4demo7genericySixAA1PRzlFAA6ScreenC_Tg5Tf4d_n",
      text: "specialized generic(_:)",
      swiftModule: "demo"
    ),
    Row(
      mangled: "$s8Dispatch0A5QueueC5async5group3qos5flags7executeyAA0A5GroupCSg_AA0A3QoSV"
        + "AA0A13WorkItemFlagsVyyYbXBtFfA0_",
      text: "default argument 1 of DispatchQueue.async(group:qos:flags:execute:)",
      swiftModule: "Dispatch"
    ),
    Row(
      mangled: "$sIegh_IeyBh_TR",
      text: "thunk for @escaping @callee_guaranteed @Sendable () -> ()",
      swiftModule: nil
    ),
    Row(
      mangled: "$sIetH_yts5Error_pIegHrzo_TRTATQ0_",
      text: "partial apply for thunk for @escaping @convention(thin) @async () -> ()",
      swiftModule: nil
    ),
    Row(
      mangled: "$sSGsE4next10upperBoundqd__qd___ts17FixedWidthIntegerRd__SURd__lFqd__s27Sy"
        + "stemRandomNumberGeneratorVqd__AERszsACRd__SURd__r__lIetMnlr_Tpq5Su_Tg5",
      text: "specialized RandomNumberGenerator.next(upperBound:)",
      swiftModule: "Swift"
    ),
    Row(mangled: "$sSS4demoE4loudSSvg", text: "String.loud.getter", swiftModule: "demo"),
    Row(mangled: "$sSa4demoSLRzlE7biggestxSgyF", text: "Array.biggest()", swiftModule: "demo"),
    Row(
      mangled: "$sSa22_allocateUninitializedySayxG_SpyxGtSiFZ8Dispatch0C13WorkItemFlagsV_Tt0gq5",
      text: "specialized static Array._allocateUninitialized(_:)",
      swiftModule: "Swift"
    ),
    Row(
      mangled: "$sScTss5NeverORs_rlE4name8priority9operationScTyxABGSSSg_ScPSgxyYaYAcntcfc"
        + "BoSRys4Int8VGXEfU_",
      text: "closure #1 in Task.init(name:priority:operation:)",
      swiftModule: "Swift"
    ),
    Row(
      mangled: "$sSlsE3mapySayqd__Gqd__7ElementQzqd_0_YKXEqd_0_YKs5ErrorRd_0_r0_lF",
      text: "Collection.map(_:)",
      swiftModule: "Swift"
    ),
    Row(
      mangled: "$sSaySiGSayxGSEsSERzlWl",
      text: "lazy protocol witness table accessor for type [Int] and conformance <A> [A]",
      swiftModule: "Swift"
    ),
    Row(
      mangled: "$ss10fatalError_4file4lines5NeverOSSyXK_s12StaticStringVSutFfA_SSycfu_",
      text: "implicit closure #1 in default argument 0 of fatalError(_:file:line:)",
      swiftModule: "Swift"
    ),
    Row(mangled: "main", text: "main", swiftModule: nil),
    Row(mangled: "_ZN3foo3barEi", text: "foo::bar(int)", swiftModule: nil),
    Row(
      mangled: "_ZZN1a1bEvENKUlvE_clEv",
      text: "a::b()::{lambda()#1}::operator()() const",
      swiftModule: nil
    ),
    Row(mangled: "-[Screen dealloc]", text: "-[Screen dealloc]", swiftModule: nil),
    Row(mangled: "_Z", text: "_Z", swiftModule: nil),
    Row(mangled: "$s", text: "$s", swiftModule: nil),
    Row(
      mangled: "$s13SystemPackage0A6StringVSmAASm15replaceSubrange_4withySny5IndexQzG_qd__"
        + "ntSlRd__7ElementQyd__AIRtzlFTWs15EmptyCollectionVyAA0A4CharVG_Tg5",
      text: "specialized protocol witness for RangeReplaceableCollection.replaceSubrang"
        + "e(_:with:) in conformance SystemString",
      swiftModule: "SystemPackage"
    ),
    Row(
      mangled: "$s18OrderedCollections0A3SetV10removeLastxyF6$deferL_yySHRzlF",
      text: "$defer() in OrderedSet.removeLast()",
      swiftModule: "OrderedCollections"
    ),
  ]
}
