#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The bounds of a mailbox. */
struct turn_mailbox_limits {
    std::size_t messages_max = 100;       ///< That wait for one agent.
    std::size_t bytes_max = 1u << 20;     ///< Of these together.
    std::size_t addresses_max = 10'000;   ///< Agents for which something waits.
};

/** What people say to agents that are at work: messages that steer them, and that they are to end.
 *
 *      auto mailbox = std::make_shared<weft::turn_mailbox>();
 *      options.mailbox = mailbox;
 *      …
 *      mailbox->post("thread-1", "Look at Rome only.");
 *      mailbox->abort("thread-1");
 *
 *  An agent's address is its thread, so a run that is to be steered has one; see `turn_agent_options::address`. Where
 *  tenants share names of threads, each tenant has a mailbox of its own. A message is kept until the state that it was
 *  written into counts: a node that fails, or a run that is destroyed and taken up again in this process, gets it
 *  again. It lives in the process: a crash loses what no turn had begun with, and an abort that was not carried out.
 *  What is posted after an agent's last turn waits for its next run.
 *
 *  @par Thread safety   From any OS thread.
 *  @par Source          The steering queue of Ivy's turn graph; confirmed taking is ours.
 */
class turn_mailbox {
public:
    explicit turn_mailbox(turn_mailbox_limits most = {}) : most_{most} {}
    turn_mailbox(const turn_mailbox&) = delete;
    turn_mailbox& operator=(const turn_mailbox&) = delete;

    /** Leaves a message. @return False if there is no room; then nothing was left. */
    [[nodiscard]] bool post(std::string_view address, std::string text);
    /** Ends the agent: what it is at is stopped, and its outcome is `aborted`. Without a run it ends the next one.
     *  @return False if there is no room. */
    bool abort(std::string_view address);
    /** How many messages wait, those that were read and not yet settled included. */
    [[nodiscard]] std::size_t waiting(std::string_view address) const;

private:
    friend class turn_inbox;
    struct box {
        std::deque<std::string> messages;
        std::size_t bytes = 0;
        std::optional<std::int64_t> first;  // number of the first message; unknown until an agent says how far it is
        std::stop_source stop;
        std::size_t readers = 0;

        [[nodiscard]] bool is_idle() const noexcept
        {
            return readers == 0 && messages.empty() && !stop.stop_requested();
        }
        void number_from(std::int64_t after);
    };
    using boxes = std::map<std::string, box, std::less<>>;

    [[nodiscard]] boxes::iterator find_or_add(std::string_view address);

    const turn_mailbox_limits most_;
    mutable std::mutex lock_;
    boxes boxes_;
};

/** The mailbox as a node of one agent sees it while it works. Without a mailbox nothing ever comes.
 *
 *  Messages are numbered; the agent's state says up to which it has them. A mailbox that no node of the agent has read
 *  before goes on with the numbers that the state has, so that a state from another process fits.
 *
 *  @par Thread safety   None: it belongs to a node at work. */
class turn_inbox {
public:
    struct letter {
        std::int64_t number = 0;
        std::string text{};
    };

    turn_inbox(std::shared_ptr<turn_mailbox> mailbox, std::string_view address);
    ~turn_inbox();
    turn_inbox(const turn_inbox&) = delete;
    turn_inbox& operator=(const turn_inbox&) = delete;

    /** The messages with higher numbers, oldest first. */
    [[nodiscard]] std::vector<letter> read(std::int64_t after);
    [[nodiscard]] bool has_more(std::int64_t after);
    /** Forgets messages up to a number, because a state that counts has them. */
    void settle(std::int64_t through);
    /** Settles, and forgets an abort: the run is over. */
    void finish(std::int64_t through);

    /** Stopped when the agent is to end. */
    [[nodiscard]] std::stop_token abort_token() const { return token_; }
    [[nodiscard]] bool is_aborted() const noexcept { return token_.stop_requested(); }

private:
    std::shared_ptr<turn_mailbox> mailbox_;
    turn_mailbox::boxes::iterator at_{};
    std::stop_token token_;
};

}  // namespace weft
