; pass: division-versioning
; unchanged
; Threads of a warp may differ in whether numbers from memory are narrow.
define i64 @f(ptr %x, i64 %at, i64 %width) {
  %address = getelementptr i64, ptr %x, i64 %at
  %i = load i64, ptr %address
  %row = udiv i64 %i, %width
  ret i64 %row
}
