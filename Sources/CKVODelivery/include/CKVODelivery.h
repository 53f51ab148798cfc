// The callbacks that the calling thread is inside of: one word of thread-local storage, which Swift
// has no word for.

#ifndef CKVODELIVERY_H
#define CKVODELIVERY_H

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

extern _Thread_local void *_Nullable kvos_innermost_delivery_word;

/// The frame of the innermost callback that the calling thread is in, or null. It lies on the stack of
/// whoever set it.
static inline void *_Nullable kvos_innermost_delivery(void) { return kvos_innermost_delivery_word; }

/// Sets the frame of the innermost callback; who sets one puts back what was there before.
static inline void kvos_set_innermost_delivery(void *_Nullable frame) {
  kvos_innermost_delivery_word = frame;
}

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
