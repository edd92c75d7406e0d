"""System calls: their numbers on the two processors, and what a sandboxed program may do with them.

Numbers are the kernel's stable interface (``asm/unistd_64.h`` for x86_64, ``asm-generic/unistd.h`` for aarch64, where
the oldest calls do not exist). A call in none of the groups is answered "not implemented", so that what a newer kernel
adds is closed until somebody opens it.
"""

from __future__ import annotations

# ruff: noqa: SIM905 - names in running text are read and sorted more easily than lists

ALLOWED = (
    "access alarm arch_prctl brk chdir clock_getres clock_gettime clock_nanosleep close close_range "
    "copy_file_range dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd "
    "eventfd2 exit exit_group faccessat faccessat2 fadvise64 fchdir fdatasync flock fstat fstatfs fsync "
    "ftruncate futex getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer "
    "getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit "
    "getrusage getsid getsockname getsockopt gettid gettimeofday getuid lseek lstat madvise membarrier "
    "mincore mmap mprotect mremap msync munmap nanosleep newfstatat pause pipe pipe2 poll ppoll pread64 "
    "preadv pselect6 pwrite64 pwritev read readlink readlinkat readv recvfrom restart_syscall rseq "
    "rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait "
    "sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler "
    "sched_yield select sendfile set_robust_list set_tid_address setitimer setrlimit shutdown sigaltstack "
    "stat statfs statx sysinfo time timer_create timer_delete timer_getoverrun timer_gettime "
    "timer_settime timerfd_create timerfd_gettime timerfd_settime times umask uname wait4 waitid write "
    "writev"
).split()
"""What computing, reading files and writing to open files need."""

BY_ARGUMENT = ("clone execveat fcntl ioctl kill open openat prctl prlimit64 sendto socketpair tgkill").split()
"""Allowed or not by an argument: seccomp.py has a rule for each."""

CHANGES_FILES = (
    "chmod chown creat fchmod fchmodat fchown fchownat fremovexattr fsetxattr futimesat lchown link "
    "linkat lremovexattr lsetxattr mkdir mkdirat mknod mknodat removexattr rename renameat renameat2 "
    "rmdir setxattr symlink symlinkat truncate unlink unlinkat utime utimensat utimes"
).split()
"""Create, change or remove a file by its name: a read-only file system, for a candidate."""

REFUSED = (
    "memfd_create mq_open msgget recvmsg seccomp semget sendmsg setgid setgroups setregid setresgid "
    "setresuid setreuid setuid shmat shmget"
).split()
"""Refused with an error that a program may live with."""

STARTS_PROCESSES = ("execve fork vfork").split()
"""Only compilers may."""

VIOLATIONS = (
    "accept accept4 add_key adjtimex bind bpf chroot clock_settime connect delete_module finit_module "
    "init_module io_uring_enter io_uring_register io_uring_setup kexec_load keyctl listen mount "
    "perf_event_open pidfd_getfd pidfd_open pidfd_send_signal pivot_root process_vm_readv "
    "process_vm_writev ptrace reboot request_key rt_sigqueueinfo rt_tgsigqueueinfo sethostname setns "
    "setpgid setsid settimeofday socket swapoff swapon tkill umount2 unshare userfaultfd"
).split()
"""No program that solves a problem needs them: the process is killed."""

_NUMBERS = """
    accept:43:202 accept4:288:242 access:21:- add_key:248:217 adjtimex:159:171 alarm:37:- arch_prctl:158:-
    bind:49:200 bpf:321:280 brk:12:214 chdir:80:49 chmod:90:- chown:92:- chroot:161:51 clock_getres:229:114
    clock_gettime:228:113 clock_nanosleep:230:115 clock_settime:227:112 clone:56:220 clone3:435:435 close:3:57
    close_range:436:436 connect:42:203 copy_file_range:326:285 creat:85:- delete_module:176:106 dup:32:23
    dup2:33:- dup3:292:24 epoll_create:213:- epoll_create1:291:20 epoll_ctl:233:21 epoll_pwait:281:22
    epoll_wait:232:- eventfd:284:- eventfd2:290:19 execve:59:221 execveat:322:281 exit:60:93 exit_group:231:94
    faccessat:269:48 faccessat2:439:439 fadvise64:221:223 fchdir:81:50 fchmod:91:52 fchmodat:268:53
    fchown:93:55 fchownat:260:54 fcntl:72:25 fdatasync:75:83 finit_module:313:273 flock:73:32 fork:57:-
    fremovexattr:199:16 fsetxattr:190:7 fstat:5:80 fstatfs:138:44 fsync:74:82 ftruncate:77:46 futex:202:98
    futimesat:261:- getcpu:309:168 getcwd:79:17 getdents:78:- getdents64:217:61 getegid:108:177
    geteuid:107:175 getgid:104:176 getgroups:115:158 getitimer:36:102 getpeername:52:205 getpgid:121:155
    getpgrp:111:- getpid:39:172 getppid:110:173 getpriority:140:141 getrandom:318:278 getresgid:120:150
    getresuid:118:148 getrlimit:97:163 getrusage:98:165 getsid:124:156 getsockname:51:204 getsockopt:55:209
    gettid:186:178 gettimeofday:96:169 getuid:102:174 init_module:175:105 io_uring_enter:426:426
    io_uring_register:427:427 io_uring_setup:425:425 ioctl:16:29 kexec_load:246:104 keyctl:250:219 kill:62:129
    lchown:94:- link:86:- linkat:265:37 listen:50:201 lremovexattr:198:15 lseek:8:62 lsetxattr:189:6 lstat:6:-
    madvise:28:233 membarrier:324:283 memfd_create:319:279 mincore:27:232 mkdir:83:- mkdirat:258:34
    mknod:133:- mknodat:259:33 mmap:9:222 mount:165:40 mprotect:10:226 mq_open:240:180 mremap:25:216
    msgget:68:186 msync:26:227 munmap:11:215 nanosleep:35:101 newfstatat:262:- open:2:- openat:257:56
    pause:34:- perf_event_open:298:241 pidfd_getfd:438:438 pidfd_open:434:434 pidfd_send_signal:424:424
    pipe:22:- pipe2:293:59 pivot_root:155:41 poll:7:- ppoll:271:73 prctl:157:167 pread64:17:67 preadv:295:69
    prlimit64:302:261 process_vm_readv:310:270 process_vm_writev:311:271 pselect6:270:72 ptrace:101:117
    pwrite64:18:68 pwritev:296:70 read:0:63 readlink:89:- readlinkat:267:78 readv:19:65 reboot:169:142
    recvfrom:45:207 recvmsg:47:212 removexattr:197:14 rename:82:- renameat:264:38 renameat2:316:276
    request_key:249:218 restart_syscall:219:128 rmdir:84:- rseq:334:293 rt_sigaction:13:134
    rt_sigpending:127:136 rt_sigprocmask:14:135 rt_sigqueueinfo:129:138 rt_sigreturn:15:139
    rt_sigsuspend:130:133 rt_sigtimedwait:128:137 rt_tgsigqueueinfo:297:240 sched_get_priority_max:146:125
    sched_get_priority_min:147:126 sched_getaffinity:204:123 sched_getparam:143:121 sched_getscheduler:145:120
    sched_yield:24:124 seccomp:317:277 select:23:- semget:64:190 sendfile:40:71 sendmsg:46:211 sendto:44:206
    set_robust_list:273:99 set_tid_address:218:96 setgid:106:144 setgroups:116:159 sethostname:170:161
    setitimer:38:103 setns:308:268 setpgid:109:154 setregid:114:143 setresgid:119:149 setresuid:117:147
    setreuid:113:145 setrlimit:160:164 setsid:112:157 settimeofday:164:170 setuid:105:146 setxattr:188:5
    shmat:30:196 shmget:29:194 shutdown:48:210 sigaltstack:131:132 socket:41:198 socketpair:53:199 stat:4:-
    statfs:137:43 statx:332:291 swapoff:168:225 swapon:167:224 symlink:88:- symlinkat:266:36 sysinfo:99:179
    tgkill:234:131 time:201:- timer_create:222:107 timer_delete:226:111 timer_getoverrun:225:109
    timer_gettime:224:108 timer_settime:223:110 timerfd_create:283:85 timerfd_gettime:287:87
    timerfd_settime:286:86 times:100:153 tkill:200:130 truncate:76:45 umask:95:166 umount2:166:39 uname:63:160
    unlink:87:- unlinkat:263:35 unshare:272:97 userfaultfd:323:282 utime:132:- utimensat:280:88 utimes:235:-
    vfork:58:- wait4:61:260 waitid:247:95 write:1:64 writev:20:66
"""  # name:x86_64:aarch64

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Names of processors as ``os.uname().machine`` has them, and the kernel's ``AUDIT_ARCH`` constants."""


def numbers(machine: str) -> dict[str, int]:
    """Numbers of the calls above that exist on a processor.

    Args:
        machine: A key of :data:`MACHINES`.
    """
    column = 1 + list(MACHINES).index(machine)
    cells = [cell.split(":") for cell in _NUMBERS.split()]
    return {cell[0]: int(cell[column]) for cell in cells if cell[column] != "-"}
