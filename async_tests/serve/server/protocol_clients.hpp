#pragma once

#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/** What a client of a protocol learns of a run. */
struct heard {
    std::string said;         ///< The last message of the assistant.
    std::string question;     ///< By the name that answers of the protocol use; empty: none is open.
    bool is_cancelled = false;
    bool is_refused = false;  ///< The request had no effect, and the client knows why.
};

/** How many processes serve the store of a stage. */
enum class stage_of : std::uint8_t { one_process, two_processes };

/** One server with graphs whose runs all protocols begin, watch, answer and cancel; or two on one store, which know of
 *  each other what the store says. */
struct protocol_stage {
    explicit protocol_stage(stage_of processes = stage_of::one_process);

    answer send(std::string_view method, std::string_view target, std::string body = {});
    weft::http_request request_to(std::string_view method, std::string_view target, std::string body = {});
    /** The id of the thread's only run, once it is there. */
    std::string run_of(const std::string& thread);
    void open_gate() { *gate = true; }
    /** Clients talk to the second server from now on: runs that have begun are executed in another process. */
    void go_to_second() { is_at_second = true; }
    [[nodiscard]] life& asked() { return is_at_second ? *second : server; }

    std::shared_ptr<bool> gate = std::make_shared<bool>(false);  ///< Runs of `held` end when it is open.
    test_loop loop;
    weft::memory_store store;
    life server;
    std::unique_ptr<life> second = {};
    bool is_at_second = false;
};

/** A client of one protocol. A row of the table: what a protocol adds is one class. */
class protocol_client {
public:
    protocol_client(const protocol_client&) = delete;
    protocol_client& operator=(const protocol_client&) = delete;
    virtual ~protocol_client() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    /** What begins a run in a new thread; the client may go away as soon as the run is there. */
    [[nodiscard]] virtual weft::http_request begin(protocol_stage& at, const std::string& thread,
                                                   const std::string& assistant) const = 0;
    /** What follows the run that a thread has. */
    [[nodiscard]] virtual weft::http_request follow(protocol_stage& at, const std::string& thread,
                                                    const std::string& assistant) const = 0;
    /** The same, for a client that wants text as it comes. */
    [[nodiscard]] virtual weft::http_request follow_text(protocol_stage& at, const std::string& thread,
                                                         const std::string& assistant) const
    {
        return follow(at, thread, assistant);
    }
    /** Whether a client hears text before the node that says it has ended. */
    [[nodiscard]] virtual bool hears_text() const noexcept { return true; }
    /** What answers a question with yes. */
    [[nodiscard]] virtual weft::http_request answer_yes(protocol_stage& at, const std::string& thread,
                                                        const std::string& assistant,
                                                        const std::string& question) const = 0;
    /** Cancels the run of a thread. @return  False: the protocol has no word for it. */
    virtual bool cancel(protocol_stage& at, const std::string& thread) const;
    /** Whether a stream that has not ended has all that `read` wants; most end. */
    [[nodiscard]] virtual bool is_whole(std::string_view body) const { return (void)body, false; }
    /** What the answer to `follow` says. */
    [[nodiscard]] virtual heard read(protocol_stage& at, const std::string& thread, const answer& got) const = 0;
    /** Whether the answer to `answer_yes` refuses it. */
    [[nodiscard]] virtual bool refuses(const answer& got) const = 0;

protected:
    protocol_client() = default;
};

/** Those of protocols with tasks and responses. */
void add_more_protocol_clients(std::vector<std::unique_ptr<protocol_client>>& to);
/** Those of MCP, of both eras. */
void add_mcp_protocol_clients(std::vector<std::unique_ptr<protocol_client>>& to);
/** All protocols of the server. */
[[nodiscard]] std::vector<std::unique_ptr<protocol_client>> all_protocol_clients();

/** Sends a request and reads the answer, until it is whole for the client. */
weft::task<answer> fetch_for(weft::http_client client, weft::http_request request, const protocol_client* reader);
