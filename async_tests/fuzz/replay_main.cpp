// The main function of a fuzz target when it is not built for libFuzzer: replays the files it is given (a directory
// stands for the files in it), then runs random inputs of a fixed seed. A failing input is left behind in the file
// <program>.input, so that giving that file as an argument repeats the failure.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using bytes = std::vector<std::uint8_t>;

constexpr int random_runs = 2000;
constexpr std::size_t size_max = 512;

bytes read(const fs::path& file)
{
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void replay(const fs::path& path)
{
    if (fs::is_directory(path)) {
        for (const auto& entry : fs::directory_iterator{path}) replay(entry.path());
        return;
    }
    const bytes input = read(path);
    LLVMFuzzerTestOneInput(input.data(), input.size());
}

// Short inputs are as likely as long ones; half of the inputs use few distinct bytes, which reach deeper decisions.
bytes random_input(std::mt19937& random)
{
    const std::size_t size_limit = std::size_t{1} << (random() % 10);
    bytes input(random() % (size_limit < size_max ? size_limit : size_max));
    const std::uint32_t alphabet = random() % 2 == 0 ? 256 : 1 + random() % 16;
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random() % alphabet);
    return input;
}

}  // namespace

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) replay(argv[i]);
    if (argc == 2 && fs::is_regular_file(argv[1])) return 0;

    const fs::path kept = std::string{argv[0]} + ".input";
    std::mt19937 random{1};
    for (int i = 0; i < random_runs; ++i) {
        const bytes input = random_input(random);
        std::ofstream{kept, std::ios::binary}.write(reinterpret_cast<const char*>(input.data()),
                                                    static_cast<std::streamsize>(input.size()));
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    fs::remove(kept);
    std::printf("%d random inputs passed\n", random_runs);
}
