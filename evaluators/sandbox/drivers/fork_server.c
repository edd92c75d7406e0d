// Linked into a candidate: starts a process for each case from one that has only been loaded, before any code of the
// candidate has run, its global constructors included. So nothing passes from case to case, and a case costs a fork
// instead of an execution.
//
// Descriptor 999 gives eight bytes a case, a secret that the system call filter wants to see in an argument of clone
// that the kernel does not read. It is wiped out before the candidate's code begins, in memory and registers, so that
// the candidate cannot fork. The new process is a child of the supervisor (CLONE_PARENT), which learns of its end from
// the kernel alone. Without that descriptor this file does nothing, and the program runs as it is.
//
// No function of the C library is called: a candidate may define its own.

#define CONTROL 999
#define CLONE_PARENT_AND_SIGCHLD (0x8000 | 17)
#define SET_DUMPABLE 4

#if defined(__x86_64__)

enum { READ = 0, CLOSE = 3, EXIT_GROUP = 231, PRCTL = 157 };

static inline long call(long number, long first, long second, long third) {
    long result;
    register long fourth __asm__("r10") = 0;
    register long fifth __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long fork_with(volatile unsigned long* secret) {
    long result;
    __asm__ volatile(
        "movq (%[secret]), %%r9\n\t"
        "movq $0, (%[secret])\n\t"
        "xorl %%r10d, %%r10d\n\t"
        "xorl %%r8d, %%r8d\n\t"
        "syscall\n\t"
        "xorl %%r9d, %%r9d"
        : "=a"(result)
        : "a"(56L), "D"((long)CLONE_PARENT_AND_SIGCHLD), "S"(0L), "d"(0L), [secret] "b"(secret)
        : "rcx", "r8", "r9", "r10", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)

enum { READ = 63, CLOSE = 57, EXIT_GROUP = 94, PRCTL = 167 };

static inline long call(long number, long first, long second, long third) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}

static inline long fork_with(volatile unsigned long* secret) {
    register long x8 __asm__("x8") = 220;
    register long x0 __asm__("x0") = CLONE_PARENT_AND_SIGCHLD;
    register long x1 __asm__("x1") = 0;
    register long x2 __asm__("x2") = 0;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    register volatile unsigned long* x9 __asm__("x9") = secret;
    __asm__ volatile(
        "ldr x5, [x9]\n\t"
        "str xzr, [x9]\n\t"
        "svc 0\n\t"
        "mov x5, xzr"
        : "+r"(x0)
        : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x9)
        : "x5", "memory");
    return x0;
}

#endif

static void serve(void) {
    unsigned long secret;
    if (call(READ, CONTROL, (long)&secret, 0) != 0) return;  // reads nothing, and tells whether it is open
    call(PRCTL, SET_DUMPABLE, 0, 0);
    while (call(READ, CONTROL, (long)&secret, sizeof secret) == sizeof secret) {
        const long child = fork_with(&secret);
        if (child == 0) {
            call(CLOSE, CONTROL, 0, 0);
            return;
        }
        if (child < 0) break;
    }
    call(EXIT_GROUP, 0, 0, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_everything)(void) = serve;
