#include "stream_server.hpp"

#include "harness/bench.hpp"

#include <weft/testing/scripted_endpoint.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <vector>

namespace weft_bench {

namespace {

// Each stream is an open socket, here and in the child.
void raise_file_limit(int streams)
{
    rlimit limit{};
    require(getrlimit(RLIMIT_NOFILE, &limit) == 0, "cannot read the limit of open files");
    const auto needed = static_cast<rlim_t>(streams + 100);
    if (limit.rlim_cur >= needed) return;
    limit.rlim_cur = needed;
    require(limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &limit) == 0,
            "too few open files are allowed for so many streams; raise the hard limit (ulimit -Hn)");
}

void write_all(int file, const std::string& text)
{
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t size = write(file, text.data() + written, text.size() - written);
        require(size > 0, "the server of the streams cannot say where it is");
        written += static_cast<std::size_t>(size);
    }
}

std::string read_to_end(int file)
{
    std::string text;
    std::array<char, 4096> block{};
    for (ssize_t size = 0; (size = read(file, block.data(), block.size())) > 0;)
        text.append(block.data(), static_cast<std::size_t>(size));
    return text;
}

[[noreturn]] void serve(const stream_shape& shape, int lifeline, int answer)
{
    using namespace weft::testing;
    scripted_endpoint endpoint{scripted_endpoint_options{}.requests_kept_max(0)};
    endpoint.when(user_contains(ask_for_word)).reply_always(text("word"));
    std::vector<std::string> pieces(static_cast<std::size_t>(shape.chunks), " piece");
    endpoint.when(user_contains(ask_for_stream))
        .reply_always(text_pieces(std::move(pieces)).between_tokens(std::chrono::milliseconds{shape.gap_ms}));
    write_all(answer, std::to_string(endpoint.port()) + "\n" + endpoint.ca_pem());
    close(answer);
    read_to_end(lifeline);
    _exit(0);
}

}  // namespace

stream_server::stream_server(const stream_shape& shape)
{
    raise_file_limit(shape.streams);
    std::array<int, 2> lifeline{};
    std::array<int, 2> answer{};
    require(pipe(lifeline.data()) == 0 && pipe(answer.data()) == 0, "cannot make a pipe");
    child_ = fork();
    require(child_ >= 0, "cannot start the server of the streams");
    if (child_ == 0) {
        close(lifeline[1]);
        close(answer[0]);
        serve(shape, lifeline[0], answer[1]);
    }
    close(lifeline[0]);
    close(answer[1]);
    lifeline_ = lifeline[1];
    const std::string told = read_to_end(answer[0]);
    close(answer[0]);
    const std::size_t line = told.find('\n');
    require(line != std::string::npos, "the server of the streams did not start");
    port_ = static_cast<std::uint16_t>(std::stoi(told.substr(0, line)));
    ca_pem_ = told.substr(line + 1);
}

stream_server::~stream_server()
{
    close(lifeline_);
    waitpid(child_, nullptr, 0);
}

}  // namespace weft_bench
