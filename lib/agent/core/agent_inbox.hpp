#pragma once

#include <weft/agent/core/agent_mailbox.hpp>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The mailbox as a node of one agent sees it while it works. Without a mailbox nothing ever comes.
 *
 *  Items are numbered; the agent's state says up to which it has them. A mailbox that no node of the agent has read
 *  before goes on with the numbers that the state has, so that a state from another process fits.
 *
 *  @par Thread safety   None: it belongs to a node at work. */
class agent_inbox {
public:
    struct letter {
        std::int64_t number = 0;
        std::string text{};  ///< Of a message, or a trigger as `text_of` has it.
    };

    agent_inbox(std::shared_ptr<agent_mailbox> mailbox, std::string_view address);
    ~agent_inbox();
    agent_inbox(const agent_inbox&) = delete;
    agent_inbox& operator=(const agent_inbox&) = delete;

    /** The items with higher numbers, oldest first. */
    [[nodiscard]] std::vector<letter> read(std::int64_t after);
    [[nodiscard]] bool has_more(std::int64_t after);
    /** Drops items up to a number, because a state that counts has them. */
    void settle(std::int64_t through);
    /** Settles, and forgets an abort: the run is over. */
    void finish(std::int64_t through);

    /** Stopped when the agent is to end. */
    [[nodiscard]] std::stop_token abort_token() const { return token_; }
    [[nodiscard]] bool is_aborted() const noexcept { return token_.stop_requested(); }

private:
    std::shared_ptr<agent_mailbox> mailbox_;
    agent_mailbox::boxes::iterator at_{};
    std::stop_token token_;
};

}  // namespace weft
