// Runs a program with the simulator's libamdhip64: a folder with links to the library and a file of
// options goes first on its library path, and is removed when it has ended.
#include "Commands.h"
#include "Files.h"
#include "Session.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace {
/// lib/ beside the folder that this program lies in.
std::string libraryFolder() {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  std::string self(path, n > 0 ? size_t(n) : 0);
  for (int up = 0; up < 2; ++up)
    self.resize(self.find_last_of('/') == std::string::npos ? 0 : self.find_last_of('/'));
  return self + "/lib";
}

constexpr const char *kNames[] = {"libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7"};

struct Folder {
  std::string path;
  ~Folder() {
    for (const char *name : kNames)
      unlink((path + "/" + name).c_str());
    unlink((path + "/tegula-hip.conf").c_str());
    rmdir(path.c_str());
  }
};

bool fill(const Folder &folder, const std::string &libraries, const std::string &options,
          std::string &error) {
  std::string library = libraries + "/hip/libamdhip64.so.7";
  if (access(library.c_str(), R_OK) != 0) {
    error = library + ": " + std::strerror(errno);
    return false;
  }
  for (const char *name : kNames)
    if (symlink(library.c_str(), (folder.path + "/" + name).c_str()) != 0) {
      error = folder.path + ": " + std::strerror(errno);
      return false;
    }
  const auto *p = reinterpret_cast<const std::byte *>(options.data());
  FileSet files;
  return files.add(folder.path + "/tegula-hip.conf", Bytes(p, p + options.size()), error) &&
         files.commit(error);
}

int execute(const std::vector<std::string> &program, const std::string &path) {
  pid_t child = fork();
  if (child < 0)
    return fail(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const char *before = std::getenv("LD_LIBRARY_PATH");
    setenv("LD_LIBRARY_PATH", before && *before ? (path + ":" + before).c_str() : path.c_str(), 1);
    std::vector<char *> words;
    for (const std::string &word : program)
      words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    fail(program[0] + ": " + std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
} // namespace

int hip(const std::vector<std::string> &words) {
  CommandLine line("hip [options] -- PROGRAM…",
                   "Runs a program that uses HIP's module API on simulated devices. Its exit "
                   "status is the program's.");
  std::vector<std::string> devices, program;
  std::string schedule, numerics, transcendentals;
  std::vector<std::string> suppressions;
  uint64_t threads = 0, limit = 0, seconds = 0, maxFindings = 0;
  bool noSanitize = false, lateLoads = false;
  line.list("--device", "gfx942|gfx950", "one device, in order; may be repeated\n[gfx950, gfx942]",
            devices);
  line.flag("--no-sanitize", "report nothing but what stops a launch", noSanitize);
  line.list("--suppress", "KIND[:KERNEL[:0xPC|LINE]]",
            "drop such reports; KIND as they name it or *,\nKERNEL a glob", suppressions);
  line.number("--max-findings", "N", "reports of one kind, the rest is counted [20]", maxFindings,
              UINT32_MAX);
  line.flag("--late-loads", "registers hold a load's result only from the wait\non that covers it",
            lateLoads);
  line.text("--numerics", "fma-chain|cdna3-fused",
            "how matrix instructions add up floats [fma-chain]", numerics);
  line.text("--transcendentals", "exact|1ulp",
            "correctly rounded, or off by what the hardware\nstates [exact]", transcendentals);
  line.option("--schedule", kSchedules, "order of waves and workgroups [fifo]",
              [&](const std::string &value) {
                schedule = value;
                tgs_schedule order;
                uint64_t seed;
                return parseSchedule(value, order, seed);
              });
  line.number("--threads", "N", "host threads of a launch [one a CPU]", threads, 1024);
  line.number("--limit", "N", "stop a wave that executes more instructions", limit);
  line.number("--seconds", "N", "stop a launch that takes longer on this host", seconds);
  line.rest("--", "PROGRAM…", "the program and its arguments", program);
  CommandLine::Result parsed = line.parse(words);
  if (parsed != CommandLine::Result::Ok)
    return parsed == CommandLine::Result::Help ? 0 : 2;
  if (program.empty()) {
    std::fputs("tegula-sim: no program behind -- (tegula-sim hip --help)\n", stderr);
    return 2;
  }
  std::string options;
  for (const std::string &d : devices)
    options += "device " + d + "\n";
  if (noSanitize)
    options += "sanitize off\n";
  if (lateLoads)
    options += "late-loads on\n";
  for (const std::string &s : suppressions)
    options += "suppress " + s + "\n";
  for (auto [key, value] : {std::pair("schedule ", &schedule), std::pair("numerics ", &numerics),
                            std::pair("transcendentals ", &transcendentals)})
    if (!value->empty())
      options += key + *value + "\n";
  for (auto [key, value] :
       {std::pair("threads ", threads), std::pair("limit ", limit), std::pair("seconds ", seconds),
        std::pair("max-findings ", maxFindings)})
    if (value)
      options += key + std::to_string(value) + "\n";
  const char *temporary = std::getenv("TMPDIR");
  Folder folder{std::string(temporary && *temporary ? temporary : "/tmp") + "/tegula-hip.XXXXXX"};
  std::string error, libraries = libraryFolder();
  if (!mkdtemp(folder.path.data()))
    return fail(folder.path + ": " + std::strerror(errno));
  if (!fill(folder, libraries, options, error))
    return fail(error);
  return execute(program, folder.path + ":" + libraries);
}
