; pass: inlining
; Two calls of a function that is too long for LLVM to inline it twice: the array goes into registers. A recursive function and a cold one stay functions.
; ir: define ptx_kernel void @f
; ir-not: alloca [4 x i32]
; ir-not: call void @work
; ir-not: call void @part
; ir: call void @seldom
; ir: call i32 @recursive
define ptx_kernel void @f(ptr %out) {
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  call void @work(ptr %a, ptr %out)
  call void @work(ptr %b, ptr %out)
  call void @seldom(ptr %out)
  %r = call i32 @recursive(i32 3)
  store volatile i32 %r, ptr %out
  ret void
}
define internal void @work(ptr %items, ptr %out) {
  store i32 1, ptr %items
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  ret void
}
define internal void @part(ptr %items, ptr %out) {
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  call void @piece(ptr %items, ptr %out)
  ret void
}
define internal void @piece(ptr %items, ptr %out) {
  %x0 = load i32, ptr %items
  %x1 = mul i32 %x0, 3
  store volatile i32 %x1, ptr %out
  %x2 = mul i32 %x1, 4
  store volatile i32 %x2, ptr %out
  %x3 = mul i32 %x2, 5
  store volatile i32 %x3, ptr %out
  %x4 = mul i32 %x3, 6
  store volatile i32 %x4, ptr %out
  %x5 = mul i32 %x4, 7
  store volatile i32 %x5, ptr %out
  %x6 = mul i32 %x5, 8
  store volatile i32 %x6, ptr %out
  %x7 = mul i32 %x6, 9
  store volatile i32 %x7, ptr %out
  %x8 = mul i32 %x7, 10
  store volatile i32 %x8, ptr %out
  %x9 = mul i32 %x8, 11
  store volatile i32 %x9, ptr %out
  store i32 %x9, ptr %items
  ret void
}
define internal void @seldom(ptr %out) cold {
  %items = alloca i32
  store i32 2, ptr %items
  call void @part(ptr %items, ptr %out)
  call void @part(ptr %items, ptr %out)
  ret void
}
define internal i32 @recursive(i32 %n) {
  %over = icmp eq i32 %n, 0
  br i1 %over, label %end, label %again
again:
  %less = sub i32 %n, 1
  %inner = call i32 @recursive(i32 %less)
  %result = mul i32 %inner, %n
  br label %end
end:
  %all = phi i32 [ 1, %0 ], [ %result, %again ]
  ret i32 %all
}
