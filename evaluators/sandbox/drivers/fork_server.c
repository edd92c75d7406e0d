// Linked into a candidate: starts a process for each case from one that has only been loaded, before any code of the
// candidate has run, its global constructors included. So nothing passes from case to case, and a case costs a fork
// instead of an execution.
//
// The process asks the kernel for another one, again and again. Each request waits until the supervisor, which the
// system call filter asks, lets it through: one a case. The new process is a child of the supervisor (CLONE_PARENT),
// which learns of its end from the kernel. Without an open descriptor 999 the program runs as it is.
//
// No other function is called: a candidate may define its own.

#define MARK 999
#define CLONE_PARENT_AND_SIGCHLD (0x8000 | 17)
#define GET_DESCRIPTOR_FLAGS 1
#define SET_DUMPABLE 4

#if defined(__x86_64__)

enum { CLOSE = 3, CLONE = 56, FCNTL = 72, PRCTL = 157, EXIT_GROUP = 231 };

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

#elif defined(__aarch64__)

enum { CLOSE = 57, CLONE = 220, FCNTL = 25, PRCTL = 167, EXIT_GROUP = 94 };

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

#endif

// What each process would do first, if the program uses streams: the standard ones, which takes longer than the fork.
// Only in a static program, where nothing has to be loaded before.
extern void prepare_streams(void *) __asm__("_ZNSt8ios_base4InitC1Ev") __attribute__((weak));
extern char dynamic[] __asm__("_DYNAMIC") __attribute__((weak, visibility("hidden")));
static char streams[16];

static void serve(void) {
    if (call(FCNTL, MARK, GET_DESCRIPTOR_FLAGS, 0) < 0) return;
    call(CLOSE, MARK, 0, 0);
    call(PRCTL, SET_DUMPABLE, 0, 0);
    if (!dynamic && prepare_streams) prepare_streams(streams);
    long child;
    while ((child = call(CLONE, CLONE_PARENT_AND_SIGCHLD, 0, 0)) > 0) {
    }
    if (child < 0) call(EXIT_GROUP, 1, 0, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_everything)(void) = serve;
