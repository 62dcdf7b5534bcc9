#include "stream_curl.hpp"

#ifdef WEFT_WITH_CURL

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <curl/curl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

struct free_list {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
struct free_easy {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};

std::string question_body(const char* question)
{
    return R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user",)"
           R"("content":")" + std::string{question} + R"("}]})";
}

/** Transfers of libcurl, driven by epoll as its manual advises for many of them. */
class curl_streams {
public:
    curl_streams(const stream_server& server, int streams);
    curl_streams(const curl_streams&) = delete;
    curl_streams& operator=(const curl_streams&) = delete;
    ~curl_streams();

    /** Asks on all connections at once and reads the answers to their end. @return  Bytes of all bodies. */
    std::size_t ask_all(const char* question);

private:
    static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void* is_known);
    static int on_timer(CURLM*, long timeout_ms, void* self);
    static std::size_t on_bytes(char*, std::size_t, std::size_t size, void* self);
    void add_stream(const stream_server& server);
    void wait();
    void take_done();

    CURLM* multi_ = curl_multi_init();
    int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    std::unique_ptr<curl_slist, free_list> headers_;
    std::unique_ptr<curl_slist, free_list> addresses_;
    std::vector<std::unique_ptr<CURL, free_easy>> streams_;
    std::size_t bytes_ = 0;
    int running_ = 0;
    long timeout_ms_ = -1;
};

curl_streams::curl_streams(const stream_server& server, int streams)
{
    require(multi_ != nullptr && epoll_ >= 0, "libcurl cannot be set up");
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &on_socket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &on_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(streams));
    headers_.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
    curl_slist_append(headers_.get(), "Accept: text/event-stream");
    addresses_.reset(
        curl_slist_append(nullptr, ("localhost:" + std::to_string(server.port()) + ":127.0.0.1").c_str()));
    for (int i = 0; i < streams; ++i) add_stream(server);
}

curl_streams::~curl_streams()
{
    streams_.clear();
    curl_multi_cleanup(multi_);
    ::close(epoll_);
}

void curl_streams::add_stream(const stream_server& server)
{
    CURL* const easy = streams_.emplace_back(curl_easy_init()).get();
    const std::string target = "https://localhost:" + std::to_string(server.port()) + "/v1/chat/completions";
    curl_blob roots{const_cast<char*>(server.ca_pem().data()), server.ca_pem().size(), CURL_BLOB_COPY};
    curl_easy_setopt(easy, CURLOPT_URL, target.c_str());
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &roots);
    curl_easy_setopt(easy, CURLOPT_RESOLVE, addresses_.get());
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
}

std::size_t curl_streams::ask_all(const char* question)
{
    const std::string body = question_body(question);
    bytes_ = 0;
    for (auto& stream : streams_) {
        curl_easy_setopt(stream.get(), CURLOPT_COPYPOSTFIELDS, body.c_str());
        require(curl_multi_add_handle(multi_, stream.get()) == CURLM_OK, "libcurl takes no further transfer");
    }
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running_);
    while (running_ > 0) wait();
    take_done();
    return bytes_;
}

void curl_streams::wait()
{
    std::array<epoll_event, 256> events{};
    const int timeout = timeout_ms_ < 0 ? 1000 : static_cast<int>(timeout_ms_);
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout);
    if (count <= 0) curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running_);
    for (int i = 0; i < count; ++i) {
        const std::uint32_t seen = events[static_cast<std::size_t>(i)].events;
        int what = 0;
        if (seen & (EPOLLIN | EPOLLHUP)) what |= CURL_CSELECT_IN;
        if (seen & EPOLLOUT) what |= CURL_CSELECT_OUT;
        if (seen & EPOLLERR) what |= CURL_CSELECT_ERR;
        curl_multi_socket_action(multi_, events[static_cast<std::size_t>(i)].data.fd, what, &running_);
    }
}

void curl_streams::take_done()
{
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
        require(message->msg == CURLMSG_DONE && message->data.result == CURLE_OK, "a transfer of libcurl failed");
        curl_multi_remove_handle(multi_, message->easy_handle);
    }
}

int curl_streams::on_socket(CURL*, curl_socket_t socket, int what, void* self, void* is_known)
{
    auto& streams = *static_cast<curl_streams*>(self);
    if (what == CURL_POLL_REMOVE) {
        ::epoll_ctl(streams.epoll_, EPOLL_CTL_DEL, socket, nullptr);
        curl_multi_assign(streams.multi_, socket, nullptr);
        return 0;
    }
    epoll_event wanted{};
    wanted.events = (what & CURL_POLL_IN ? EPOLLIN : 0U) | (what & CURL_POLL_OUT ? EPOLLOUT : 0U);
    wanted.data.fd = socket;
    ::epoll_ctl(streams.epoll_, is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &wanted);
    curl_multi_assign(streams.multi_, socket, self);
    return 0;
}

int curl_streams::on_timer(CURLM*, long timeout_ms, void* self)
{
    static_cast<curl_streams*>(self)->timeout_ms_ = timeout_ms;
    return 0;
}

std::size_t curl_streams::on_bytes(char*, std::size_t, std::size_t size, void* self)
{
    static_cast<curl_streams*>(self)->bytes_ += size;
    return size;
}

}  // namespace

double curl_us_per_chunk(const stream_server& server, const stream_shape& shape)
{
    curl_streams streams{server, shape.streams};
    require(streams.ask_all(ask_for_word) > 0, "libcurl read nothing");  // opens the connections
    const double before = thread_cpu_ns();
    const std::size_t bytes = streams.ask_all(ask_for_stream);
    const double cost = (thread_cpu_ns() - before) / 1000 / shape.streams / shape.chunks;
    require(bytes > static_cast<std::size_t>(shape.streams * shape.chunks) * 50,
            "the streams read with libcurl were short");
    return cost;
}

}  // namespace weft_bench

#endif
