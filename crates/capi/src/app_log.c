/* aclAppLog takes a variable number of arguments, which Rust cannot define. The exported symbol
 * (src/acl/log.rs) jumps here with all its arguments in place. A line that cannot be written is
 * lost; the program goes on. */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least level that is written: 0 is everything, 3 errors only, 4 nothing. */
static int least_level;
static FILE *out;

/* Once: while a program changes its environment nobody may read it. */
static pthread_once_t asked = PTHREAD_ONCE_INIT;

static void ask(void)
{
    const char *level = getenv("ASCEND_GLOBAL_LOG_LEVEL");
    const char *to_stdout = getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    least_level = level != NULL && level[0] != '\0' ? atoi(level) : 3;
    out = to_stdout != NULL && strcmp(to_stdout, "1") == 0 ? stdout : stderr;
}

static const char *shown(const char *text)
{
    return text != NULL ? text : "?";
}

void millpond_app_log(int level, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    const char *name = level >= 0 && level < 4 ? names[level] : "LOG";
    char text[2048] = "";
    size_t length;

    (void)pthread_once(&asked, ask);
    if (level < least_level) {
        return;
    }
    if (fmt != NULL) {
        va_list arguments;
        va_start(arguments, fmt);
        (void)vsnprintf(text, sizeof text, fmt, arguments);
        va_end(arguments);
    }
    length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
        text[--length] = '\0';
    }
    fprintf(out, "[%s] %s:%u %s: %s\n", name, shown(file), line, shown(func), text);
}
