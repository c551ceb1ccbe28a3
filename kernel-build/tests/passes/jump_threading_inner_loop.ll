; pass: jump-threading
; The barrier is in the outer loop: jumps of the inner one alone are threaded.
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
define ptx_kernel void @sum(ptr addrspace(1) %x, ptr addrspace(1) %y, i64 %n) {
start:
  br label %outer
outer:
  %round = phi i32 [ 0, %start ], [ %round2, %done ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %next
next:
  %i = phi i64 [ 0, %outer ], [ %i2, %body ]
  %over = phi i8 [ 0, %outer ], [ %over2, %body ]
  %sum = phi i32 [ 0, %outer ], [ %sum2, %body ]
  %exhausted = trunc nuw i8 %over to i1
  br i1 %exhausted, label %none, label %asked
asked:
  %within = icmp ule i64 %i, %n
  br i1 %within, label %some, label %none
some:
  %more = icmp ult i64 %i, %n
  br i1 %more, label %step, label %last
step:
  %up = add nuw i64 %i, 1
  br label %stepped
last:
  br label %stepped
stepped:
  %i1 = phi i64 [ %up, %step ], [ %i, %last ]
  %over1 = phi i8 [ %over, %step ], [ 1, %last ]
  br label %test
none:
  br label %test
test:
  %i2 = phi i64 [ %i1, %stepped ], [ %i, %none ]
  %over2 = phi i8 [ %over1, %stepped ], [ %over, %none ]
  %found = phi i1 [ true, %stepped ], [ false, %none ]
  br i1 %found, label %body, label %done
body:
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %sum2 = add i32 %sum, %v
  br label %next
done:
  store i32 %sum, ptr addrspace(1) %y
  %round2 = add i32 %round, 1
  %again = icmp ult i32 %round2, 4
  br i1 %again, label %outer, label %end
end:
  ret void
}
; ir-not: phi i8
; ir-not: phi i1
; ir-count: 1 call void @llvm.nvvm.barrier
; ir-not: keeps
