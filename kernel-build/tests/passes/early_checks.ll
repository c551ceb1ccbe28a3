; pass: early-checks
; Both checks stand before both loads.
; ir: entry:
; ir-next: icmp ult i64 %i, %len
; ir: select i1 %c
; ir: label %panic.i
; ir: icmp ult i64 %j, %len
; ir: select i1 %d
; ir: label %panic.j
; ir: load i32, ptr %at.i
; ir: store i32 %
; ir: load i32, ptr %at.j
define void @f(ptr noalias readonly %a, i64 %len, i64 %i, i64 %j, i1 %c, i1 %d, ptr addrspace(3) %tile, ptr %out) {
entry:
  br i1 %c, label %first, label %second
first:
  %fits.i = icmp ult i64 %i, %len
  br i1 %fits.i, label %load.i, label %panic.i
panic.i:
  call void @panic(i64 %i)
  unreachable
load.i:
  %at.i = getelementptr i32, ptr %a, i64 %i
  %element.i = load i32, ptr %at.i
  br label %second
second:
  %x = phi i32 [ %element.i, %load.i ], [ 0, %entry ]
  store i32 %x, ptr addrspace(3) %tile
  br i1 %d, label %third, label %done
third:
  %fits.j = icmp ult i64 %j, %len
  br i1 %fits.j, label %load.j, label %panic.j
panic.j:
  call void @panic(i64 %j)
  unreachable
load.j:
  %at.j = getelementptr i32, ptr %a, i64 %j
  %element.j = load i32, ptr %at.j
  br label %done
done:
  %y = phi i32 [ %element.j, %load.j ], [ 0, %second ]
  %next = getelementptr i32, ptr addrspace(3) %tile, i64 1
  store i32 %y, ptr addrspace(3) %next
  ret void
}
declare void @panic(i64) noreturn
