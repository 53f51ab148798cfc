/// Tells the classes of Apple's frameworks from the user's.
///
/// Only the prefix of Foundation and AppKit is reserved: those of the other frameworks are short, and other code has them,
/// too (`UIPlaceHolderTextView`, `AVCamCaptureManager`, `MKStoreManager`). Of these, the classes below are known, which
/// are those that code observes or that observe.
enum SystemClass {
  /// Whether `name` is known to be one of Apple's; `NSKVONotifying_` precedes the user's.
  static func isOne(_ name: String) -> Bool {
    var bare = name.drop { $0 == "_" }
    while bare.last == "_" { bare.removeLast() }
    if known.contains(String(bare)) { return true }
    guard bare.hasPrefix("NS"), !bare.hasPrefix("NSKVONotifying_"), !name.contains(".") else {
      return false
    }
    return bare.dropFirst(2).first?.isUppercase == true && !bare.contains("_")
  }

  private static let known: Set<String> = [
    "AVAsset", "AVAssetDownloadTask", "AVAssetExportSession", "AVAssetReader", "AVAssetWriter",
    "AVAssetWriterInput", "AVAudioEngine", "AVAudioPlayer", "AVAudioRecorder", "AVAudioSession",
    "AVCaptureConnection", "AVCaptureDevice", "AVCaptureDeviceInput", "AVCaptureMovieFileOutput",
    "AVCapturePhotoOutput", "AVCaptureSession", "AVCaptureStillImageOutput",
    "AVCaptureVideoPreviewLayer", "AVMutableComposition", "AVPictureInPictureController",
    "AVPlayer", "AVPlayerController", "AVPlayerItem", "AVPlayerLayer", "AVPlayerLooper",
    "AVPlayerPropertyDispatcher",
    "AVPlayerView", "AVPlayerViewController", "AVQueuePlayer", "AVRouteDetector",
    "AVSampleBufferDisplayLayer", "AVURLAsset",
    "CAAnimation", "CAAnimationGroup", "CABasicAnimation", "CADisplayLink", "CAEAGLLayer",
    "CAEmitterLayer", "CAGradientLayer", "CAKeyframeAnimation", "CALayer", "CAMetalLayer",
    "CAReplicatorLayer", "CAScrollLayer", "CAShapeLayer", "CASpringAnimation", "CATextLayer",
    "CATiledLayer", "CATransformLayer", "CATransition",
    "CKContainer", "CKDatabase", "CKOperation", "CKRecord", "CLGeocoder", "CLLocation",
    "CLLocationManager", "CNContact", "CNContactStore",
    "MKAnnotationView", "MKMapView", "MKMarkerAnnotationView", "MKPinAnnotationView",
    "MKPlacemark", "MKPointAnnotation", "MKUserLocation",
    "MPMediaItem", "MPMoviePlayerController", "MPMoviePlayerViewController",
    "MPMusicPlayerController", "MPNowPlayingInfoCenter", "MPVolumeView",
    "PHAsset", "PHAssetCollection", "PHFetchResult", "PHImageManager", "PHLivePhoto",
    "PHLivePhotoView", "PHPhotoLibrary", "SCNNode", "SCNScene", "SCNView",
    "SKDownload", "SKNode", "SKPaymentQueue", "SKProductsRequest", "SKScene", "SKSpriteNode",
    "SKView",
    "UIActivityIndicatorView", "UIAlertController", "UIAlertView", "UIApplication",
    "UIBarButtonItem", "UIBarItem", "UIButton", "UICollectionView", "UICollectionViewCell",
    "UICollectionViewController", "UICollectionViewFlowLayout", "UIControl", "UIDatePicker",
    "UIDevice", "UIDocument", "UIFieldEditor", "UIGestureRecognizer", "UIImageView", "UILabel",
    "UILongPressGestureRecognizer", "UIManagedDocument", "UINavigationBar",
    "UINavigationController", "UINavigationItem", "UIPageControl", "UIPageViewController",
    "UIPanGestureRecognizer", "UIPickerView", "UIPinchGestureRecognizer", "UIProgressView",
    "UIRefreshControl", "UIResponder", "UIScreen", "UIScrollView",
    "UIScrollViewDelayedTouchesBeganGestureRecognizer", "UIScrollViewPanGestureRecognizer",
    "UIScrollViewPinchGestureRecognizer", "UISearchBar", "UISearchController",
    "UISegmentedControl", "UISlider", "UISplitViewController", "UIStackView", "UIStepper",
    "UISwipeGestureRecognizer", "UISwitch", "UITabBar", "UITabBarButton", "UITabBarController",
    "UITabBarItem", "UITableView", "UITableViewCell", "UITableViewController",
    "UITableViewWrapperView", "UITapGestureRecognizer", "UITextField", "UITextView", "UIToolbar",
    "UIView", "UIViewController", "UIVisualEffectView", "UIWebView", "UIWindow", "UIWindowScene",
    "WKDownload", "WKInterfaceController", "WKNavigation", "WKPreferences",
    "WKUserContentController",
    "WKWebView", "WKWebViewConfiguration",
  ]
}
