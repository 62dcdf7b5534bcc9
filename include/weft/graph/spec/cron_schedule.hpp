#pragma once

#include <bitset>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** When something is due again and again, as five fields: minute, hour, day of the month, month, day of the week; UTC.
 *
 *      const weft::cron_schedule each_workday{"30 9 * * mon-fri"};
 *      each_workday.next(now);
 *
 *  A field is `*`, a number, a name (`jan`, `mon`), a range `1-5`, each with a step `/2`, or a list of these with
 *  commas. The days of the week count from 0 or 7, Sunday. If both days are given, either is enough. `@hourly`,
 *  `@daily`, `@weekly`, `@monthly` and `@yearly` are short for the usual ones.
 *
 *  @par Thread safety   As a value.
 *  @par Source          crontab(5) of Vixie cron; POSIX, crontab.
 */
class cron_schedule {
public:
    /** @par Errors   `errc::invalid_configuration`, which names the field. */
    explicit cron_schedule(std::string_view text);

    /** The first moment after `now`; nothing if there is none within eight years, as for the 30th of February. */
    [[nodiscard]] std::optional<std::chrono::sys_seconds> next(std::chrono::sys_seconds now) const;

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    [[nodiscard]] bool has_day(std::chrono::sys_days day) const;

    std::string text_;
    std::bitset<60> minutes_;
    std::bitset<24> hours_;
    std::bitset<32> days_;
    std::bitset<13> months_;
    std::bitset<7> weekdays_;
    bool is_any_day_ = true;
    bool is_any_weekday_ = true;
};

}  // namespace weft
