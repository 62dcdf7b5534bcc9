#pragma once

#include <weft/agent/conversation/conversation_entry.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Something that a loop is told from outside. */
struct mailbox_message {
    std::string text = {};
    message_author author = message_author::program;  ///< `person`: what a client typed, said as it is.
};

/** Something that happened outside: a timer, a webhook. */
struct mailbox_trigger {
    std::string type = {};
    std::string source = {};
    boost::json::value payload = {};
};

/** What came for a thread since the last turn. */
struct mailbox_content {
    std::vector<mailbox_message> messages = {};
    std::vector<mailbox_trigger> triggers = {};
    [[nodiscard]] bool empty() const noexcept { return messages.empty() && triggers.empty(); }
};

/** A message as the agent reads it: what a person says as it is, anything else as `[External event]: …`. */
[[nodiscard]] std::string text_of(const mailbox_message& message);
/** All triggers in one text, `[TRIGGER: type/source]` and the payload of each; empty without any. */
[[nodiscard]] std::string text_of(const std::vector<mailbox_trigger>& triggers);

/** How much a mailbox holds. */
struct mailbox_limits {
    std::size_t threads_max = 10'000;
    std::size_t items_max = 256;           ///< Of one thread.
    std::size_t bytes_max = 1'024 * 1'024;  ///< Of one thread, all texts together.
};

/** Carries messages and triggers from anywhere to the event loops of runs, by the thread (conversation) of the run. A
 *  loop reads what is there between two turns; it does not wait for it.
 *
 *      mailbox->say("thread-7", "The customer called.");
 *
 *  What a loop has read stays here until the step in which it read has been kept: `take` gives it again until
 *  `confirm`. So a step that is done over loses nothing. What nobody has taken is in this process only: a crash loses
 *  it, while what was taken is part of the run's conversation. Who must not lose a message keeps it until he sees it
 *  there.
 *
 *  @par Thread safety   All operations from any OS thread.
 */
class event_mailbox {
public:
    explicit event_mailbox(mailbox_limits limits = {}) noexcept : limits_{limits} {}
    event_mailbox(const event_mailbox&) = delete;
    event_mailbox& operator=(const event_mailbox&) = delete;

    /** @return False if there is no room: nothing was kept. */
    [[nodiscard]] bool say(std::string_view thread, std::string text,
                           message_author author = message_author::program);
    [[nodiscard]] bool trigger(std::string_view thread, mailbox_trigger what);

    /** What is there, oldest first: what was taken and not confirmed, and what came since. */
    [[nodiscard]] mailbox_content take(std::string_view thread);
    /** What was taken last is kept elsewhere. */
    void confirm(std::string_view thread);

    /** How many items nobody has taken. */
    [[nodiscard]] std::size_t waiting(std::string_view thread) const;

private:
    struct box {
        mailbox_content fresh;
        mailbox_content taken;
        std::size_t bytes = 0;  // of both
    };
    [[nodiscard]] box* room_for(std::string_view thread, std::size_t bytes);

    mailbox_limits limits_;
    mutable std::mutex mutex_;
    std::map<std::string, box, std::less<>> boxes_;
};

}  // namespace weft
