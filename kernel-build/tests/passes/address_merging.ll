; pass: address-merging
; Two additions to a base pointer are one.
define i32 @element(ptr %x, i64 %row, i64 %column) {
  %start = getelementptr i32, ptr %x, i64 %row
  %at = getelementptr i32, ptr %start, i64 %column
  %v = load i32, ptr %at
  ret i32 %v
}
; ir: add i64 %row, %column
; ir-next: getelementptr i32, ptr %x
; ir-count: 1 getelementptr
