; pass: step-narrowing
; Steps that a condition lets be 2^32, or that it says to be small where it is false, or where the loop is reached without it.
; unchanged
define void @f(ptr %a, i64 %x, i64 %y, i64 %z, i1 %c) {
entry:
  %less = add i64 %x, -1
  %x.small = icmp ult i64 %less, 4294967296
  br i1 %x.small, label %first, label %done
first:
  %p = getelementptr i32, ptr %a, i64 %x
  store i32 1, ptr %p
  %y.small = icmp ult i64 %y, 4294967296
  br i1 %y.small, label %done, label %second
second:
  %q = getelementptr i32, ptr %a, i64 %y
  store i32 2, ptr %q
  br i1 %c, label %asks, label %third
asks:
  %z.small = icmp ult i64 %z, 100
  br i1 %z.small, label %third, label %done
third:
  %r = getelementptr i32, ptr %a, i64 %z
  store i32 3, ptr %r
  br label %done
done:
  ret void
}
